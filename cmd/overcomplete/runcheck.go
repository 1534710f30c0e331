package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overcomplete/internal/positions"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/lineage"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
	"overcomplete/suite/rerun"
)

// A freshCheck is the command 'overcomplete run --check'. It finds two things: the outputs that a fresh run would
// change, and names that are used before their declaration. It does not change notebooks.
type freshCheck struct {
	opt       headless.Options
	static    bool // run nothing
	fresh     bool // recompute the stages that papers keep
	json      bool
	tolerance float64
}

// A checkedNotebook is what a freshCheck has found in one notebook. docs/teach.md documents the JSON names.
type checkedNotebook struct {
	Path    string        `json:"path"`
	OK      bool          `json:"ok"`
	Missing []missingName `json:"missing"`
	Changed []changedCell `json:"changed"`
	Order   []changedCell `json:"order"`
	// Failed says why the notebook could not be read or could not run to its end.
	Failed string `json:"failed,omitempty"`

	static bool // the notebook was not run
}

// A place identifies a cell of a notebook.
type place struct {
	Cell int    `json:"cell"` // index among all cells, from 1
	ID   string `json:"id"`
}

type missingName struct {
	place
	Line  int     `json:"line"`
	Name  string  `json:"name"`
	Below []place `json:"below"` // later cells that declare the name
}

type changedCell struct {
	place
	What string `json:"what"`
}

// run checks the given notebooks, prints what it finds, and returns the exit status: 1 if a check fails. Outputs that
// differ only in the order of their lines are printed, but are not failures.
func (f *freshCheck) run(notebooks []string) int {
	ctx, stopped, cancel := untilStopped()
	defer cancel()
	folder, err := os.MkdirTemp("", "overcomplete-check-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(folder)
	binary, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	env := []string{positions.Variable + "=0"} // saved positions are not compared
	if f.fresh {
		env = append(env, record.FreshVariable+"=1")
	}
	f.opt.New, f.opt.Modules = worker(binary, env), notebookModules(binary, env)
	f.opt.AllowErrors, f.opt.GoOn, f.opt.Progress = true, true, io.Discard
	code := 0
	list := []checkedNotebook{}
	for i, path := range notebooks {
		f.opt.Out = filepath.Join(folder, strconv.Itoa(i)+".ipynb")
		c := f.checkOne(ctx, path)
		if ctx.Err() != nil {
			fmt.Fprintln(os.Stderr, "overcomplete run: stopped")
			return <-stopped
		}
		if !c.OK {
			code = 1
		}
		list = append(list, c)
		if !f.json {
			fmt.Print(c)
		}
	}
	if f.json {
		b, err := json.MarshalIndent(map[string]any{"notebooks": list}, "", " ")
		if err != nil {
			return fail(err)
		}
		fmt.Printf("%s\n", b)
	}
	return code
}

// checkOne checks the notebook at path.
func (f *freshCheck) checkOne(ctx context.Context, path string) (c checkedNotebook) {
	c = checkedNotebook{Path: shortPath(path), Missing: []missingName{}, Changed: []changedCell{}, Order: []changedCell{}, static: f.static}
	defer func() { c.OK = c.Failed == "" && len(c.Missing)+len(c.Changed) == 0 }()
	saved, err := notebook.Read(path)
	if err != nil {
		c.Failed = err.Error()
		return c
	}
	c.Missing = missingNames(saved)
	if f.static {
		return c
	}
	opt := f.opt
	opt.Set = append(recordedParameters(saved), opt.Set...)
	if _, err := headless.Run(ctx, path, opt); err != nil {
		var cell *headless.CellError
		if c.Failed = err.Error(); !errors.As(err, &cell) || ctx.Err() != nil {
			return c
		}
	}
	fresh, err := notebook.Read(opt.Out)
	if err != nil {
		c.Failed = err.Error()
		return c
	}
	for _, d := range rerun.Compare(saved, fresh, f.tolerance) {
		one := changedCell{placeOf(saved, d.Cell), d.What}
		if d.Order {
			c.Order = append(c.Order, one)
		} else {
			c.Changed = append(c.Changed, one)
		}
	}
	return c
}

func placeOf(nb *notebook.Notebook, i int) place { return place{i + 1, nb.Cells[i].ID} }

// missingNames returns the names that a cell uses but no earlier cell declares. Cells tagged skip-execution declare
// nothing, and cells tagged raises-exception are not checked, because they are expected to fail.
func missingNames(nb *notebook.Notebook) []missingName {
	cells := make([]*lineage.Cell, len(nb.Cells))
	for i, c := range nb.Cells {
		if c.Type == notebook.Code && !c.Tagged("skip-execution") {
			cells[i], _ = lineage.Read(c.Source) // a cell that is not Go fails when it runs
		}
	}
	list := []missingName{}
	for _, m := range lineage.Check(cells, "display", "Display") {
		if nb.Cells[m.Cell].Tagged("raises-exception") {
			continue
		}
		one := missingName{place: placeOf(nb, m.Cell), Line: m.Line, Name: m.Name, Below: []place{}}
		for _, i := range m.Below {
			one.Below = append(one.Below, placeOf(nb, i))
		}
		list = append(list, one)
	}
	return list
}

// recordedParameters returns the parameters that were changed for the run that produced the notebook's outputs, or nil
// if that run used the values that the notebook declares.
func recordedParameters(nb *notebook.Notebook) (set []headless.Assignment) {
	changed := nb.Changed()
	if changed == nil {
		return nil
	}
	for name, text := range changed.Values {
		if s, err := strconv.Unquote(text); err == nil {
			text = s
		}
		set = append(set, headless.Assignment{Name: name, Text: text})
	}
	slices.SortFunc(set, func(a, b headless.Assignment) int { return strings.Compare(a.Name, b.Name) })
	return set
}

// String returns the result as lines of text.
func (c checkedNotebook) String() string {
	var b strings.Builder
	switch {
	case c.OK && c.static:
		fmt.Fprintf(&b, "%s: every name is declared above where it is used; nothing was run\n", c.Path)
	case c.OK:
		fmt.Fprintf(&b, "%s: a fresh run changes nothing\n", c.Path)
	default:
		fmt.Fprintf(&b, "%s:\n", c.Path)
	}
	for _, m := range c.Missing {
		why := "no cell declares it; was it declared in a cell that has been deleted?"
		if len(m.Below) > 0 {
			why = "declared only below, in cell " + cellList(m.Below)
		}
		fmt.Fprintf(&b, "  cell %d (%s) line %d: %s: %s\n", m.Cell, m.ID, m.Line, m.Name, why)
	}
	for _, d := range c.Changed {
		fmt.Fprintf(&b, "  cell %d (%s): a fresh run changes its output: %s\n", d.Cell, d.ID, d.What)
	}
	for _, d := range c.Order {
		fmt.Fprintf(&b, "  cell %d (%s): %s; this is not counted\n", d.Cell, d.ID, d.What)
	}
	if c.Failed != "" {
		fmt.Fprintf(&b, "  %s\n", c.Failed)
	}
	return b.String()
}

func cellList(list []place) string {
	var words []string
	for _, p := range list {
		words = append(words, fmt.Sprintf("%d (%s)", p.Cell, p.ID))
	}
	return strings.Join(words, ", ")
}
