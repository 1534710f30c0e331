package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// parseFlags parses the flags of a command. ok is false if the command is to end with code: after -h, with the
// usage, or after a mistake. Then it says what is wrong, and where the usage is: that would push the
// reason out of sight.
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

// mistake says what is wrong with the arguments of a command, where the usage is, and the exit status.
func mistake(fs *flag.FlagSet, what string) int {
	complain(fs, errors.New(what))
	return 2
}

// complain says what is wrong with the arguments of a command.
func complain(fs *flag.FlagSet, err error) {
	fmt.Fprintf(fs.Output(), "%s: %v ('%[1]s -h' lists the flags)\n", fs.Name(), err)
}
