package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcomplete/kernel/notebook"
	"overcomplete/suite/handout"
)

const handoutUsage = `usage: overcomplete handout [flags] NOTEBOOK...

Writes the students' version of a notebook, which leaves out the cells tagged "solution", by
default to handout/NAME.ipynb beside the notebook. Nothing runs, and the notebook itself does
not change.

With --nbgrader the cells get nbgrader's metadata: students fill in code cells tagged
"exercise", text cells with that tag are locked, and each exercise that a cell tries with
check.Exercise gets a locked test cell with its points.

`

// runHandout writes notebooks for students: the subcommand "handout".
func runHandout(args []string) int {
	o := handout.Options{}
	fs := newFlags("handout", handoutUsage)
	choice := func(to *bool) func(string) error {
		return func(s string) error {
			switch s {
			case "yes", "no":
				*to = s == "yes"
				return nil
			}
			return fmt.Errorf("must be yes or no, not %q", s)
		}
	}
	fs.Func("solutions", "keep the solutions, `yes or no`; default no", choice(&o.Solutions))
	o.Outputs = true
	fs.Func("outputs", "keep the cells' outputs, `yes or no`; default yes", choice(&o.Outputs))
	fs.BoolVar(&o.Grader, "nbgrader", false, "add nbgrader's metadata")
	out := fs.String("out", "", "write to this `file`, or into it if it is a folder")
	notebooks, code, ok := parseMixed(fs, args)
	if !ok {
		return code
	}
	if len(notebooks) == 0 {
		return mistake(fs, "name at least one notebook")
	}
	if len(notebooks) > 1 && *out != "" && !isFolder(*out) {
		return wrong(fs, "with several notebooks, --out must be a folder")
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
		return "", fmt.Errorf("%s is the notebook itself, which would lose its solutions: use another --out", out)
	}
	return out, made.Write(out)
}
