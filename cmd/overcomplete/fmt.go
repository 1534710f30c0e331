package main

import (
	"fmt"
	"io"
	"os"
	"strings"

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
	fs := newFlags("fmt", fmtUsage)
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

// lineDiff compares two short texts line by line. Lines that are only in a get the prefix -, and lines that are only
// in b get the prefix +. Up to three common lines are shown before and after each change. Time and memory are
// proportional to the product of the line counts.
func lineDiff(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	// common[i][j] is the length of the longest common subsequence of x[i:] and y[j:].
	common := make([][]int, len(x)+1)
	for i := range common {
		common[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				common[i][j] = 1 + common[i+1][j+1]
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var lines []string
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			lines = append(lines, " "+x[i])
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && common[i+1][j] >= common[i][j+1]:
			lines = append(lines, "-"+x[i])
			i++
		default:
			lines = append(lines, "+"+y[j])
			j++
		}
	}
	const around = 3
	near := make([]bool, len(lines))
	for i, l := range lines {
		if l[0] == ' ' {
			continue
		}
		for k := max(0, i-around); k < min(len(lines), i+around+1); k++ {
			near[k] = true
		}
	}
	var out strings.Builder
	for i, l := range lines {
		if near[i] {
			out.WriteString(l + "\n")
		} else if i > 0 && near[i-1] {
			out.WriteString(" ...\n")
		}
	}
	return out.String()
}
