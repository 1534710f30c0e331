package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"overcomplete/internal/inside"
	"overcomplete/kernel/notebook"
	"overcomplete/kernel/paired"
)

const pairUsage = `usage: overcomplete pair --to go NB.ipynb...
       overcomplete pair --to ipynb NB.go...
       overcomplete pair --sync NB.ipynb...

Keeps a notebook and a text of it, NB.ipynb and NB.go. The text reads as Go does,
has no outputs, and makes clean differences; it comes back byte for byte. Where
the notebook exists already, --to ipynb keeps the outputs of its cells. --sync
takes over the newer of both files, if they differ.

`

// The ends of the names of a pair.
const (
	notebookEnd = ".ipynb"
	textEnd     = ".go"
)

// runPair is the subcommand that keeps a notebook and its text the same.
func runPair(args []string) int {
	fs := flag.NewFlagSet("overcomplete pair", flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), pairUsage)
		fs.PrintDefaults()
	}
	to := fs.String("to", "", "write this `form`: go or ipynb")
	sync := fs.Bool("sync", false, "write the older one of both")
	paths, code, ok := parseMixed(fs, args)
	if !ok {
		return code
	}
	if len(paths) == 0 || *sync == (*to != "") || *to != "" && *to != "go" && *to != "ipynb" {
		return mistake(fs, "say --to go, --to ipynb or --sync, and the files")
	}
	for _, path := range paths {
		p, err := newPair(path)
		if err == nil {
			err = p.from(path, *to)
		}
		if err == nil {
			err = p.write(os.Stdout, *to)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "overcomplete pair:", err)
			code = 1
		}
	}
	return code
}

// A pair is the paths of a notebook and its text.
type pair struct{ notebook, text string }

// newPair returns the pair of which path is one.
func newPair(path string) (pair, error) {
	end := filepath.Ext(path)
	if end != notebookEnd && end != textEnd {
		return pair{}, fmt.Errorf("%s: the name ends neither in %s nor in %s", path, notebookEnd, textEnd)
	}
	name := strings.TrimSuffix(path, end)
	p := pair{name + notebookEnd, name + textEnd}
	other := p.text
	if path == p.text {
		other = p.notebook
	}
	return p, inside.Check(filepath.Dir(path), other)
}

// from returns an error if path, which somebody has named, is the file that would be written over: its edits
// would be lost.
func (p pair) from(path, to string) error {
	made, source := p.text, p.notebook
	if to == "ipynb" {
		made, source = source, made
	}
	if to == "" || path != made {
		return nil
	}
	return fmt.Errorf("%s is what --to %s writes, from %s: name that, or take over the newer of both with --sync", made, to, source)
}

// write writes the form named by to, or if that is empty the older one. It tells out what it has done.
func (p pair) write(out io.Writer, to string) error {
	nb, text, err := p.read(to)
	if err != nil {
		return err
	}
	var fresh []byte // the text that the notebook has
	if nb != nil {
		if fresh, err = paired.Text(nb); err != nil {
			return fmt.Errorf("%s: %w", p.notebook, err)
		}
		if bytes.Contains(text, []byte("\r\n")) {
			fresh = bytes.ReplaceAll(fresh, []byte("\n"), []byte("\r\n"))
		}
	}
	switch {
	case nb != nil && text != nil && bytes.Equal(fresh, text):
		fmt.Fprintf(out, "%s and %s are the same\n", p.notebook, p.text)
		return nil
	case to == "":
		if to, err = p.older(nb == nil, text == nil); err != nil {
			return err
		}
	}
	if to == "go" {
		if text != nil && !paired.Is(text) {
			return fmt.Errorf("%s is no text of a notebook, and would be overwritten: move it away first", p.text)
		}
		if err := notebook.WriteFile(p.text, fresh); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: written\n", p.text)
		return nil
	}
	read, err := paired.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", p.text, err)
	}
	for _, n := range paired.Doubtful(text) {
		fmt.Fprintf(out, "%s: line %d is a comment in the cell above it: a cell would begin with // %%%% and a blank\n", p.text, n)
	}
	said := "written, without outputs"
	if nb != nil {
		merged := paired.Merge(read, nb)
		said = "written: " + changes(merged, nb)
		read = merged
	}
	if err := read.Write(p.notebook); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", p.notebook, said)
	return nil
}

// read reads what there is of the pair. What to is made from must be there.
func (p pair) read(to string) (nb *notebook.Notebook, text []byte, err error) {
	nb, err = notebook.Read(p.notebook)
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && to != "go") {
		return nil, nil, err
	}
	text, err = os.ReadFile(p.text)
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && (to == "go" || to == "" && nb != nil)) {
		return nil, nil, err
	}
	return nb, text, nil
}

// older returns the form of the pair that is not there, or is older.
func (p pair) older(noNotebook, noText bool) (to string, err error) {
	switch {
	case noNotebook:
		return "ipynb", nil
	case noText:
		return "go", nil
	}
	a, err := os.Stat(p.notebook)
	if err != nil {
		return "", err
	}
	b, err := os.Stat(p.text)
	if err != nil {
		return "", err
	}
	switch a.ModTime().Compare(b.ModTime()) {
	case 1:
		return "go", nil
	case -1:
		return "ipynb", nil
	}
	return "", fmt.Errorf("%s and %s differ and are equally old: say which one to write, --to go or --to ipynb", p.notebook, p.text)
}

// changes says how many cells are not as they were.
func changes(now, was *notebook.Notebook) string {
	before := map[string]*notebook.Cell{}
	for _, c := range was.Cells {
		before[c.ID] = c
	}
	changed, added := 0, 0
	for _, c := range now.Cells {
		old, ok := before[c.ID]
		switch {
		case !ok:
			added++
		case old.Source != c.Source || old.Type != c.Type:
			changed++
		}
		delete(before, c.ID)
	}
	return fmt.Sprintf("cells changed %d, new %d, gone %d", changed, added, len(before))
}
