package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	_ "overcomplete/cmd/overcomplete/bindings" // for the packages of this module that cells can import
	"overcomplete/kernel"
	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/history"
	"overcomplete/kernel/insight"
	"overcomplete/kernel/jupyter"
	"overcomplete/kernel/modules"
	"overcomplete/kernel/signature"
	"overcomplete/kernel/wire"
)

const kernelUsage = `usage: overcomplete kernel [flags] CONNECTION_FILE
       overcomplete kernel --stdio [flags]

Serves a Jupyter front end. Jupyter runs this command itself, with a file that says
which ports to listen on. To register the kernel with Jupyter, run "overcomplete install".
Editors can run it with --stdio, without Jupyter.

An interrupt (Ctrl-C) stops the running cell, not the kernel.

`

// runKernel is the subcommand that Jupyter and editors start. It serves one front end until it is told to shut down.
// With a connection file it serves the sockets described there; with --stdio it serves the process that started it.
func runKernel(args []string) int {
	fs := newFlags("kernel", kernelUsage)
	quiet := fs.Bool("quiet", false, "do not log dropped messages and the like to standard error")
	resume := fs.String("resume", "", "continue the session that another kernel has handed over in `FILE` (kernels use this themselves)")
	canResume := fs.Bool("can-resume", false, "print the format that -resume reads, and exit")
	stdio := fs.Bool("stdio", false, "serve the program that has started this one: messages are lines of JSON on standard input and output (docs/editors.md)")
	here := fs.Bool("here", false, "serve with this program, even if another program is ready for the folder")
	if code, ok := parseFlags(fs, args); !ok {
		return code
	}
	if *canResume {
		fmt.Println(jupyter.Format)
		return 0
	}
	var connection string // the connection file, or --stdio
	switch {
	case *stdio && fs.NArg() == 0:
		connection = "--stdio"
	case !*stdio && fs.NArg() == 1:
		var err error
		if connection, err = filepath.Abs(fs.Arg(0)); err != nil { // cells may change the working directory
			fmt.Fprintln(os.Stderr, "overcomplete kernel:", err)
			return 1
		}
	default:
		return mistake(fs, "name the connection file (Jupyter runs this command with one), or use --stdio")
	}
	if *resume == "" && !*here {
		if code, ok := becomeWaiting(args); ok {
			return code
		}
	}
	interrupts := jupyter.NewInterrupts()
	// Standard output and standard error are redirected for cells; the kernel's own log goes to the original
	// standard error.
	logger := log.New(jupyter.Stderr(), "overcomplete kernel: ", log.LstdFlags)
	if *quiet {
		logger = nil
	}
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, "overcomplete kernel:", err)
		return 1
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	wireLog := logger
	if wireLog == nil {
		wireLog = log.New(io.Discard, "", 0)
	}
	session := wire.NewID()
	remembered := history.ForUser()
	opt := kernel.Options{Replaceable: wire.CanHandOver, Interactive: true, Modules: openModules(""), Devices: listDevices}
	giveDevices()
	if wd, err := os.Getwd(); err == nil && *resume == "" {
		opt.Notebook = notebookIn(wd)
	}
	var handed *jupyter.Handover
	if *resume != "" {
		var err error
		if handed, err = jupyter.ReadHandover(*resume); err != nil {
			return fail(err)
		}
		session = handed.Session
		if handed.History != nil {
			remembered = history.Resume(*handed.History)
		}
		opt.Resume, opt.Declared = handed.State, handed.Cells()
	}
	open := openSockets
	if *stdio {
		open = openPipes
	}
	channels, err := open(connection, session, handed, wireLog, cancel)
	if err != nil {
		return fail(err)
	}
	defer remembered.Close()
	answers := insight.New()
	var opened atomic.Pointer[kernel.Kernel]
	start := func() (jupyter.Executor, error) {
		k, err := kernel.New(opt)
		if err != nil {
			return nil, err
		}
		opened.Store(k)
		answers.Attach(k.Session())
		answers.Modules(k.Versions)
		time.AfterFunc(time.Second, answers.Warm) // the user cannot type faster, and a script needs no warm-up
		return executor(k), nil
	}
	server := jupyter.New(channels, session, start, jupyter.Options{
		Version:  buildVersion(),
		Log:      logger,
		Status:   cellsyntax.Status,
		Complete: completer(answers),
		Inspect:  answers.Inspect,
		Handlers: editing(answers),
		History:  remembered,
		Resuming: func(program, file string) []string {
			argv := []string{program, "kernel", "-resume", file}
			if *quiet {
				argv = append(argv, "-quiet")
			}
			return append(argv, connection)
		},
		Notebook:   notebookFile(),
		Resumed:    handed,
		Interrupts: interrupts,
		Debugger:   true,
		Sign:       signature.ForUser().SignData,
	})

	watchParent(cancel)
	server.Run(ctx)
	if k := opened.Load(); k != nil {
		// Remove the files of native cells. A cell that does not end may block the removal, so the wait is
		// limited.
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			k.Close()
		}()
		select {
		case <-closed:
		case <-time.After(3 * time.Second):
		}
	}
	return 0
}

// executor returns the executor of cells. It is the kernel, except in tests.
var executor = func(k *kernel.Kernel) jupyter.Executor { return k }

// openSockets returns channels that use the sockets described in a connection file. If handed is not nil, this kernel
// continues another one, and openSockets takes over the sockets of that kernel.
func openSockets(connection, session string, handed *jupyter.Handover, log *log.Logger, _ func()) (jupyter.Channels, error) {
	info, err := wire.ReadConnectionFile(connection)
	if err != nil {
		return jupyter.Channels{}, err
	}
	var sockets *wire.Sockets
	if handed == nil {
		sockets, err = wire.Listen(info, session, log)
	} else {
		sockets, err = wire.Resume(info, session, handed.Sockets, log)
	}
	if err != nil {
		return jupyter.Channels{}, err
	}
	return jupyter.OverSockets(sockets), nil
}

// openPipes returns channels that use standard input and output. It calls cancel() when the process at the other end,
// which started this kernel, closes the pipes, for example by exiting.
func openPipes(_, session string, handed *jupyter.Handover, log *log.Logger, cancel func()) (jupyter.Channels, error) {
	if handed != nil {
		p, err := wire.ResumePipes(handed.Sockets, log, cancel)
		if err != nil {
			return jupyter.Channels{}, err
		}
		return jupyter.OverPipes(p), nil
	}
	in, out, err := jupyter.Stdio()
	if err != nil {
		return jupyter.Channels{}, err
	}
	return jupyter.OverPipes(wire.OpenPipes(in, out, log, cancel)), nil
}

// watchParent calls cancel() when the front end that started this kernel has exited without shutting the kernel down.
// The front end gives its process id in JPY_PARENT_PID.
func watchParent(cancel func()) {
	pid, err := strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
	if err != nil || pid != os.Getppid() {
		return // started by hand or through another process
	}
	go func() {
		for os.Getppid() == pid {
			time.Sleep(time.Second)
		}
		cancel()
	}()
}

// buildVersion returns the module's version as recorded by the go command.
func buildVersion() string {
	return cmp.Or(modules.Version(), "0.1.0-dev")
}
