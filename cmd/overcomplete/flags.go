package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// parseFlags parses the flags of a command. After -h or after a mistake, ok is false, and the command must end with
// code as its exit status. For -h parseFlags prints the usage. For a mistake it prints the reason and how to get the
// usage, because the usage itself would push the reason out of sight.
func parseFlags(fs *flag.FlagSet, args []string) (code int, ok bool) {
	usage, out := fs.Usage, fs.Output()
	fs.Usage = func() {}
	fs.SetOutput(io.Discard)
	err := fs.Parse(args)
	fs.Usage = usage
	fs.SetOutput(out)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fs.Usage()
		return 0, false
	case err != nil:
		complain(fs, err)
		return 2, false
	}
	return 0, true
}

// mistake prints what is wrong with a command's arguments and how to get the usage. It returns the exit
// status.
func mistake(fs *flag.FlagSet, what string) int {
	complain(fs, errors.New(what))
	return 2
}

// complain prints what is wrong with a command's arguments.
func complain(fs *flag.FlagSet, err error) {
	fmt.Fprintf(fs.Output(), "%s: %v ('%[1]s -h' lists the flags)\n", fs.Name(), err)
}
