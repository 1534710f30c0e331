package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// newFlags returns the flags of the command with the given name. Its help prints usage before the list of flags.
func newFlags(command, usage string) *flag.FlagSet {
	fs := flag.NewFlagSet("overcomplete "+command, flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), usage)
		fs.PrintDefaults()
	}
	return fs
}

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

// wrong is like mistake, but does not mention the usage, for a message that itself says what to do.
func wrong(fs *flag.FlagSet, format string, a ...any) int {
	fmt.Fprintf(fs.Output(), fs.Name()+": "+format+"\n", a...)
	return 2
}

// complain prints what is wrong with a command's arguments.
func complain(fs *flag.FlagSet, err error) {
	fmt.Fprintf(fs.Output(), "%s: %v ('%[1]s -h' lists the flags)\n", fs.Name(), err)
}
