// Make prints the folder of a Python environment of package pyenv (frontends, peers, torch or jax), and
// creates the environment if necessary.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"overcomplete/internal/pyenv"
)

func main() {
	name := "frontends"
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	set, ok := pyenv.Named(name)
	if !ok {
		fmt.Fprintln(os.Stderr, "usage: make [frontends | peers | torch | jax]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	folder, err := set.Make(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(folder)
}
