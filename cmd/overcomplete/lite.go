package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"overcomplete/kernel/live"
	"overcomplete/kernel/live/jupyterlite"
)

const liteUsage = `usage: overcomplete lite [flags] FOLDER NOTEBOOK...
       overcomplete lite -extension [flags] FOLDER

Writes JupyterLite (JupyterLab without a server) into a new folder, with the kernel for
browsers and the notebooks. Any web server can publish the folder. The first time, the
command builds JupyterLab from npm packages, which needs npm and takes a few minutes.

-extension writes only the kernel's extension, for an existing JupyterLite. This does
not need npm.

`

// runLite writes a JupyterLite site: the subcommand "lite".
func runLite(args []string) int {
	flags := newFlags("lite", liteUsage)
	extension := flags.Bool("extension", false, "write only the extension")
	set := flags.String("set", "full", "the `name` of the set of packages that cells can import, base or full")
	fast := flags.Bool("fast", false, "compress the kernel in seconds instead of minutes, for trying things out; it is a fifth larger")
	if code, ok := parseFlags(flags, args); !ok {
		return code
	}
	if flags.NArg() == 0 || *extension && flags.NArg() > 1 {
		return mistake(flags, "name the folder to write, and the notebooks (none with -extension)")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b := live.Builder{Version: releaseVersion(), Say: func(s string) { fmt.Fprintln(os.Stderr, s+" …") }}
	if *fast {
		b.Quality = live.Fast
	}
	var err error
	if folder := flags.Arg(0); *extension {
		err = writeLiteExtension(ctx, b, *set, folder)
	} else {
		err = writeLite(ctx, b, *set, folder, flags.Args()[1:])
	}
	if err != nil {
		return fail(err)
	}
	return 0
}

// writeLite writes a JupyterLite site with the kernel and the given notebooks into a folder. set is the name of the set
// of packages that cells can import.
func writeLite(ctx context.Context, b live.Builder, set, folder string, notebooks []string) error {
	b.Say("building JupyterLab, unless it is in the cache")
	app, err := jupyterlite.App(ctx)
	if err != nil {
		return err
	}
	k, err := liteKernel(ctx, b, set)
	if err != nil {
		return err
	}
	return jupyterlite.Site(folder, app, k, notebooks)
}

// writeLiteExtension writes only the JupyterLite extension with the kernel into a folder.
func writeLiteExtension(ctx context.Context, b live.Builder, set, folder string) error {
	k, err := liteKernel(ctx, b, set)
	if err != nil {
		return err
	}
	return jupyterlite.Extension(folder, k)
}

func liteKernel(ctx context.Context, b live.Builder, set string) (jupyterlite.Kernel, error) {
	packages, err := live.Named(set)
	if err != nil {
		return nil, err
	}
	k, err := b.Kernel(ctx, packages)
	if err != nil {
		return nil, err
	}
	return jupyterlite.Live(ctx, k), nil
}
