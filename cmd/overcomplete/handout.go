package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcomplete/kernel/notebook"
	"overcomplete/suite/handout"
)

const handoutUsage = `usage: overcomplete handout [flags] NOTEBOOK...

Writes what students get of a notebook: without the cells that have the tag solution. Nothing
runs; the notebook itself stays as it is. By default it goes to handout/NAME.ipynb beside it.

With --nbgrader the cells have nbgrader's metadata: those with the tag exercise are for
students to fill in, text with that tag is locked, and each exercise that a cell tries with
check.Exercise gets a locked cell that tests it, with its points.

`

// runHandout writes notebooks for students: the subcommand "handout".
func runHandout(args []string) int {
	o := handout.Options{}
	fs := flag.NewFlagSet("overcomplete handout", flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), handoutUsage)
		fs.PrintDefaults()
	}
	choice := func(to *bool) func(string) error {
		return func(s string) error {
			switch s {
			case "yes", "no":
				*to = s == "yes"
				return nil
			}
			return fmt.Errorf("yes or no, not %q", s)
		}
	}
	fs.Func("solutions", "keep the solutions, `yes or no`; default no", choice(&o.Solutions))
	o.Outputs = true
	fs.Func("outputs", "keep what cells have shown, `yes or no`; default yes", choice(&o.Outputs))
	fs.BoolVar(&o.Grader, "nbgrader", false, "write nbgrader's metadata")
	out := fs.String("out", "", "write to this `file`, or into it if it is a folder")
	notebooks, code, ok := parseMixed(fs, args)
	if !ok {
		return code
	}
	if len(notebooks) == 0 {
		return mistake(fs, "say which notebooks")
	}
	if len(notebooks) > 1 && *out != "" && !isFolder(*out) {
		fmt.Fprintln(os.Stderr, "overcomplete handout: --out must be a folder for several notebooks")
		return 2
	}
	status := 0
	for _, path := range notebooks {
		written, err := writeHandout(path, *out, o)
		if err != nil {
			fmt.Fprintf(os.Stderr, "overcomplete handout: %s: %v\n", path, err)
			status = 1
			continue
		}
		fmt.Println("written to", shortPath(written))
	}
	return status
}

// writeHandout writes the handout of one notebook and returns its path.
func writeHandout(path, out string, o handout.Options) (string, error) {
	nb, err := notebook.Read(path)
	if err != nil {
		return "", err
	}
	made, err := handout.Make(nb, o)
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".ipynb"
	if out == "" {
		name = filepath.Join("handout", name)
	}
	if out, err = destination(path, out, name); err != nil {
		return "", err
	}
	if sameFile(out, path) {
		return "", fmt.Errorf("%s is the notebook itself: it would lose its solutions", out)
	}
	return out, made.Write(out)
}
