package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
)

const fmtUsage = `usage: overcomplete fmt [-l | -d] NOTEBOOK...

Formats the code cells of notebooks as gofmt does, and prints the names of the
notebooks that it has changed. Commands, shell lines and outputs stay as they are.
Cells that do not parse are left as they are and listed; the exit status is then 1.

`

// runFmt formats notebooks: the subcommand "fmt".
func runFmt(args []string) int {
	fs := flag.NewFlagSet("overcomplete fmt", flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), fmtUsage)
		fs.PrintDefaults()
	}
	list := fs.Bool("l", false, "write nothing; print the names of notebooks that would change")
	diff := fs.Bool("d", false, "write nothing; print what would change")
	fs.Bool("w", false, "write the notebooks (the default without -l and -d)")
	paths, code, ok := parseMixed(fs, args)
	if !ok {
		return code
	}
	if len(paths) == 0 {
		return mistake(fs, "name at least one notebook")
	}
	f := formatter{write: !*list && !*diff, names: *list || !*diff, diff: *diff, out: os.Stdout, err: os.Stderr}
	for _, path := range paths {
		if !f.notebook(path) {
			code = 1
		}
	}
	return code
}

// A formatter formats notebooks.
type formatter struct {
	write, names, diff bool
	out, err           io.Writer
}

// notebook formats one notebook. It reports whether every cell could be formatted.
func (f *formatter) notebook(path string) bool {
	nb, err := notebook.Read(path)
	if err != nil {
		fmt.Fprintln(f.err, "overcomplete fmt:", err)
		return false
	}
	ok, changed := true, false
	for i, c := range nb.Cells {
		if c.Type != notebook.Code {
			continue
		}
		formatted, err := cellsyntax.Format(c.Source)
		if err != nil {
			ok = false
			fmt.Fprintf(f.err, "%s, cell %d: left as it is: %v\n", path, i+1, err)
			continue
		}
		if formatted == c.Source {
			continue
		}
		if f.diff {
			fmt.Fprintf(f.out, "--- %s, cell %d\n+++ formatted\n%s", path, i+1, lineDiff(c.Source, formatted))
		}
		headless.Reformat(nb, c, formatted)
		changed = true
	}
	if !changed {
		return ok
	}
	if f.write {
		if err := nb.Write(path); err != nil {
			fmt.Fprintln(f.err, "overcomplete fmt:", err)
			return false
		}
	}
	if f.names {
		fmt.Fprintln(f.out, path)
	}
	return ok
}
