package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
	"overcomplete/suite"
)

// A directRun runs experiments by name, without notebooks: it calls the papers' methods in this process.
type directRun struct {
	exps       *experiments
	opt        headless.Options // options that only concern notebooks are ignored
	fresh, dry bool
	format     string // export format for the outputs, or ""
}

// run runs the requested experiments and returns the exit status.
func (d *directRun) run() int {
	names, err := d.exps.names()
	if err != nil {
		return fail(err)
	}
	todo, err := d.choose(names)
	if err != nil {
		return fail(err)
	}
	if d.opt.Out != "" && len(names) > 1 && !isFolder(d.opt.Out) {
		fmt.Fprintln(os.Stderr, "overcomplete run: with several experiments, --out must be a folder")
		return 2
	}
	for i := range todo {
		if err := d.set(&todo[i]); err != nil {
			fmt.Fprintln(os.Stderr, "overcomplete run:", err)
			return 2
		}
	}
	if d.dry {
		for _, s := range todo {
			plan, err := d.exps.suite.PlanDirect(s)
			if plan == nil {
				return fail(err)
			}
			path := filepath.Join(d.exps.root, "notebooks", s.Paper.Notebook+".ipynb")
			if err := d.exps.showPlan(path, plan, err); err != nil {
				return fail(err)
			}
		}
		return 0
	}
	return d.runAll(todo)
}

// choose returns one request for each paper that has any of the named experiments. If a name belongs to no paper, it
// returns an error.
func (d *directRun) choose(names []string) ([]suite.Request, error) {
	var todo []suite.Request
	found := map[string]bool{}
	for _, p := range declaredPapers() {
		s := suite.Request{Paper: p, Fresh: d.fresh, Timeout: d.opt.Timeout, EachTimeout: d.opt.CellTimeout, AllowErrors: d.opt.AllowErrors}
		for _, name := range names {
			for _, e := range p.Experiments {
				if p.Target(e) == name {
					s.Only, found[name] = append(s.Only, name), true
				}
			}
		}
		if s.Only != nil {
			todo = append(todo, s)
		}
	}
	for _, name := range names {
		if !found[name] {
			_, err := suite.Find(suite.Targets(d.exps.root, declaredPapers()), name)
			return nil, err
		}
	}
	return todo, nil
}

// set sets the two parameters of a request: size and seed. Any other parameter is an error.
func (d *directRun) set(s *suite.Request) error {
	s.Size, s.Seed = record.Lecture, 1 // the defaults in the notebooks
	for _, a := range d.opt.Assignments() {
		switch a.Name {
		case "size":
			s.Size = a.Text
		case "seed":
			seed, err := strconv.ParseUint(a.Text, 10, 64)
			if err != nil {
				return fmt.Errorf("the seed must be an integer, 0 or larger, not %q", a.Text)
			}
			s.Seed = seed
		default:
			return fmt.Errorf("an experiment by itself has only the parameters size and seed, not %s: also name its notebook, notebooks/%s.ipynb", a.Name, s.Paper.Notebook)
		}
	}
	return nil
}

// runAll carries out the requests one after the other and returns the exit status.
func (d *directRun) runAll(todo []suite.Request) int {
	binary, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	// With a small heap the garbage collector runs often. This ballast is never touched, so it uses no
	// physical memory. It reduces the processor time of table 2 at smoke size by a sixth.
	ballast := make([]byte, 128<<20)
	defer runtime.KeepAlive(ballast)
	ctx, stopped, cancel := untilStopped()
	defer cancel()
	stdout := os.Stdout // replaced while an experiment runs
	board := headless.NewBoard(stdout)
	code := 0
	for _, s := range todo {
		s.Reference = measureReference(binary)
		s.Say = func(text string) { board.To(stdout, text) }
		s.Begin = func(target string) func(string) { return board.Begin(target, s.Paper.Notebook) }
		given, err := d.exps.suite.RunDirect(ctx, s)
		for _, g := range given {
			text, e := d.show(s, g)
			if board.To(stdout, text); e != nil {
				err = errors.Join(err, e)
			}
		}
		if ctx.Err() != nil {
			board.To(stdout, "overcomplete run: stopped; the results of finished experiments are kept\n")
			return <-stopped
		}
		if err != nil {
			board.To(os.Stderr, failure(err))
			code = 1
		}
	}
	return code
}

// failure describes an error. After a panic it also lists the locations in the papers' code.
func failure(err error) string {
	var b strings.Builder
	fmt.Fprintln(&b, "overcomplete run:", err)
	var p *headless.Panic
	if errors.As(err, &p) {
		for _, place := range p.Stack {
			fmt.Fprintln(&b, "  "+place)
		}
	}
	return b.String()
}

// show writes a page with the result of an experiment. It returns text to print: where the page is, and the
// experiment's rows, with measured next to published values.
func (d *directRun) show(s suite.Request, g suite.Outcome) (string, error) {
	// No notebook is run or written; the page only has the form of an exported notebook.
	path := filepath.Join(d.exps.root, "notebooks", "run", g.Target+".ipynb")
	written, err := exporter{format: cmp.Or(d.format, "html")}.write(page(s, g), path, d.opt.Out)
	if err != nil {
		return "", err
	}
	how := "run in "
	if g.Kept {
		how = "kept from an earlier run, which took "
	}
	text := fmt.Sprintf("%s: %s%v, written to %s\n", g.Target, how, g.Took.Wall.Round(100*time.Millisecond), shortPath(written))
	return text + rowsOf(g.Target, s.Size, g.Rows), nil
}

// page returns a page about an experiment, in the form of a notebook: a description, the call to the method, and its
// outputs.
func page(s suite.Request, g suite.Outcome) *notebook.Notebook {
	title := notebook.NewCode(fmt.Sprintf("# %s\n\nOne experiment of notebooks/%s.ipynb, which explains it, at size %s with seed %d. It ran without a notebook.",
		g.Target, s.Paper.Notebook, s.Size, s.Seed))
	title.ID, title.Type = "title", notebook.Markdown
	call := notebook.NewCode(g.Call)
	call.ID, call.Outputs = "experiment", g.Outputs
	return &notebook.Notebook{Metadata: goMetadata(), Cells: []*notebook.Cell{title, call}}
}
