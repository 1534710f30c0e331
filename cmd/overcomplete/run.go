package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"overcomplete/kernel"
	"overcomplete/kernel/headless"
	"overcomplete/paper/record"
)

const runUsage = `usage: overcomplete run [flags] NOTEBOOK...

Runs notebooks without Jupyter and writes them with their outputs, each to the
folder run beside it unless told otherwise. The exit status is 1 if a cell
fails or takes too long, 2 for a mistake in the command, 130 after Ctrl-C.

`

// runRun is the subcommand that runs notebooks.
func runRun(args []string) int {
	var opt headless.Options
	var record bool
	fs := flag.NewFlagSet("overcomplete run", flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), runUsage)
		fs.PrintDefaults()
	}
	size := fs.String("size", "", "set the notebook's parameter size: smoke, lecture, medium or full")
	fs.Func("set", "set a parameter, `name=value`; may be repeated", func(s string) error {
		a, err := headless.ParseAssignment(s)
		opt.Set = append(opt.Set, a)
		return err
	})
	fs.Func("timeout", "the longest that a notebook may take, a `duration` such as 90s or 10m", duration(&opt.Timeout))
	fs.Func("cell-timeout", "the longest that a cell may take, a `duration`", duration(&opt.CellTimeout))
	fs.StringVar(&opt.Out, "out", "", "write to this `file`, or into it if it is a folder")
	fs.BoolVar(&opt.InPlace, "inplace", false, "write over the notebook, if all cells succeed")
	fs.BoolVar(&opt.AllowErrors, "allow-errors", false, "go on after a cell that fails")
	fs.BoolVar(&record, "record", false, "after success make the outputs, figures and results the record that is committed")

	// Package flag stops at the first notebook; flags may follow it here.
	var notebooks []string
	for rest := args; ; {
		if err := fs.Parse(rest); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return 0
			}
			return 2
		}
		if fs.NArg() == 0 {
			break
		}
		notebooks = append(notebooks, fs.Arg(0))
		rest = fs.Args()[1:]
	}
	wrong := func(format string, a ...any) int {
		fmt.Fprintf(os.Stderr, "overcomplete run: "+format+"\n", a...)
		return 2
	}
	switch {
	case len(notebooks) == 0:
		fs.Usage()
		return 2
	case opt.InPlace && opt.Out != "":
		return wrong("--out and --inplace exclude each other")
	case len(notebooks) > 1 && opt.Out != "" && !isFolder(opt.Out):
		return wrong("--out must be a folder for several notebooks")
	}
	switch *size {
	case "":
	case "smoke", "lecture", "medium", "full":
		opt.Set = append([]headless.Assignment{{Name: "size", Text: *size}}, opt.Set...)
	default:
		return wrong("--size is smoke, lecture, medium or full, not %q", *size)
	}
	if opt.Record = record; record {
		opt.Promote = promote
	}
	opt.New = func() (headless.Kernel, error) {
		k, err := kernel.New(kernel.Options{})
		if err != nil {
			return nil, err
		}
		return k, nil
	}
	return runAll(notebooks, opt)
}

// runAll runs the notebooks one after the other, also after one has failed.
func runAll(notebooks []string, opt headless.Options) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	code := 0
	stopped := make(chan int, 1)
	go func() {
		select {
		case s := <-signals:
			// A second Ctrl-C ends the process at once.
			signal.Reset(os.Interrupt, syscall.SIGTERM)
			status := 130
			if s == syscall.SIGTERM {
				status = 143
			}
			stopped <- status
			cancel()
		case <-ctx.Done():
		}
	}()
	for _, path := range notebooks {
		res, err := headless.Run(ctx, path, opt)
		if ctx.Err() != nil {
			fmt.Fprintf(os.Stderr, "overcomplete run: stopped; nothing was written for %s\n", path)
			return <-stopped
		}
		if err != nil {
			code = 1
			report(err)
		}
		if res.Written != "" {
			failed := ""
			if res.Failed > 0 {
				failed = fmt.Sprintf(", %d of them failed", res.Failed)
			}
			fmt.Printf("%s: %d cells in %v%s, written to %s\n", filepath.Base(path), res.Cells, res.Elapsed.Round(100*time.Millisecond), failed, shortPath(res.Written))
		}
		if res.Abandoned {
			fmt.Fprintln(os.Stderr, "overcomplete run: a cell could not be stopped; the notebooks after it were not run")
			return 1
		}
	}
	return code
}

// report prints an error, and the traceback if a cell failed.
func report(err error) {
	fmt.Fprintln(os.Stderr, "overcomplete run:", err)
	var cell *headless.CellError
	if errors.As(err, &cell) && cell.Limit == 0 {
		for _, line := range cell.Err.Traceback() {
			fmt.Fprintln(os.Stderr, "  "+line)
		}
	}
}

// duration reads 90s, 10m, or a number of seconds.
func duration(to *time.Duration) func(string) error {
	return func(s string) error {
		d, err := time.ParseDuration(s)
		if n, e := strconv.ParseFloat(s, 64); e == nil {
			d, err = time.Duration(n*float64(time.Second)), nil
		}
		if err == nil && d <= 0 {
			err = errors.New("must be more than nothing")
		}
		*to = d
		return err
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() || strings.HasSuffix(path, string(filepath.Separator))
}

// shortPath is relative where that is shorter.
func shortPath(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(wd, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

// promote makes the results of a notebook's last run its record. The paper has
// the name of the notebook, in the project that the notebook is in.
func promote(path string) (err error) {
	old, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := os.Chdir(filepath.Dir(path)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Chdir(old)) }()
	root, err := record.Root()
	if err != nil {
		return err
	}
	paper := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if _, err := os.Stat(filepath.Join(root, "figures", "run", paper)); errors.Is(err, fs.ErrNotExist) {
		fmt.Printf("%s: recorded; it left no results in figures/run/%s\n", filepath.Base(path), paper)
		return nil
	}
	p, err := record.Promote(paper, false)
	if err != nil {
		return err
	}
	fmt.Println(p)
	return nil
}
