package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"overcomplete/kernel/live"
)

// liveKernelCommand is the subcommand with which cmd/dist builds the kernel for browsers. A release contains
// this kernel next to the program, so that users can export live pages without Go.
const liveKernelCommand = "live-kernel"

// runLiveKernel writes the kernel for browsers, with the smallest set of packages, into a folder. Its arguments are
// the folder and the version that the kernel reports; a third one, "fast", shortens the compression.
func runLiveKernel(args []string) int {
	fast := len(args) == 3 && args[2] == "fast"
	if len(args) != 2 && !fast {
		fmt.Fprintf(os.Stderr, "usage: overcomplete %s FOLDER VERSION [fast]\n", liveKernelCommand)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b := live.Builder{Version: args[1], Say: func(s string) { fmt.Fprintln(os.Stderr, s+" …") }}
	if fast {
		b.Quality = live.Fast
	}
	k, err := b.Kernel(ctx, live.Sets[0])
	if err != nil {
		return fail(err)
	}
	if err := k.CopyTo(args[0]); err != nil {
		return fail(err)
	}
	return 0
}
