package main

import (
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

// A direct runs experiments by their names: it calls what the papers declare, in this process.
type direct struct {
	exps       *experiments
	opt        headless.Options // of which what concerns notebooks alone does not count
	fresh, dry bool
	format     string // to which what they show is exported, or empty
}

// run gives the exit status.
func (d *direct) run() int {
	names, err := d.exps.names()
	if err != nil {
		return fail(err)
	}
	todo, err := d.choose(names)
	if err != nil {
		return fail(err)
	}
	if d.opt.Out != "" && len(names) > 1 && !isFolder(d.opt.Out) {
		fmt.Fprintln(os.Stderr, "overcomplete run: --out must be a folder for several experiments")
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
	return d.all(todo)
}

// choose finds the papers of experiments.
func (d *direct) choose(names []string) ([]suite.Direct, error) {
	var todo []suite.Direct
	found := map[string]bool{}
	for _, p := range declared() {
		s := suite.Direct{Paper: p, Fresh: d.fresh, Timeout: d.opt.Timeout, EachTimeout: d.opt.CellTimeout, AllowErrors: d.opt.AllowErrors}
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
			_, err := suite.Find(suite.Targets(d.exps.root, declared()), name)
			return nil, err
		}
	}
	return todo, nil
}

// set sets what an experiment can be given.
func (d *direct) set(s *suite.Direct) error {
	s.Size, s.Seed = record.Lecture, 1 // as the notebooks have them
	for _, a := range d.opt.Assignments() {
		switch a.Name {
		case "size":
			s.Size = a.Text
		case "seed":
			seed, err := strconv.ParseUint(a.Text, 10, 64)
			if err != nil {
				return fmt.Errorf("the seed must be a number from 0 on, not %q", a.Text)
			}
			s.Seed = seed
		default:
			return fmt.Errorf("an experiment has a size and a seed, and no %s: name its notebook too, notebooks/%s.ipynb", a.Name, s.Paper.Notebook)
		}
	}
	return nil
}

// all runs the experiments of one paper after the other.
func (d *direct) all(todo []suite.Direct) int {
	binary, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	// A process whose heap is small collects its garbage often. This memory is never touched, and
	// costs nothing; with it table 2 takes a sixth less processor time at smoke size.
	ballast := make([]byte, 128<<20)
	defer runtime.KeepAlive(ballast)
	ctx, stopped, cancel := untilStopped()
	defer cancel()
	stdout := os.Stdout // which is another while an experiment runs
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

// failure says what went wrong, with the places in the papers' code.
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

// show writes what an experiment shows, and gives its rows beside the published values.
func (d *direct) show(s suite.Direct, g suite.Given) (string, error) {
	name := g.Target + ".ipynb"
	if d.opt.Out == "" {
		name = filepath.Join("run", name)
	}
	path, err := destination(filepath.Join(d.exps.root, "notebooks", g.Target+".ipynb"), d.opt.Out, name)
	if err != nil {
		return "", err
	}
	if err := alone(s, g).Write(path); err != nil {
		return "", err
	}
	how := "run in "
	if g.Kept {
		how = "kept from an earlier run, which took "
	}
	text := fmt.Sprintf("%s: %s%v, written to %s\n", g.Target, how, g.Took.Wall.Round(100*time.Millisecond), shortPath(path))
	if d.format != "" {
		written, err := exporter{format: d.format}.export(path, "")
		if err != nil {
			return text, err
		}
		text += fmt.Sprintf("%s: exported to %s\n", g.Target, shortPath(written))
	}
	return text + rowsOf(g.Target, s.Size, g.Rows), nil
}

// alone is a notebook that runs one experiment, with what it showed.
func alone(s suite.Direct, g suite.Given) *notebook.Notebook {
	nb := &notebook.Notebook{Metadata: goMetadata()}
	title := notebook.NewCode(fmt.Sprintf("# %s\n\nOne experiment of notebooks/%s.ipynb, which says what it is about.", g.Target, s.Paper.Notebook))
	title.ID, title.Type = "title", notebook.Markdown
	set := notebook.NewCode(fmt.Sprintf("size := %q\nseed := %d", s.Size, s.Seed))
	set.ID = "parameters"
	set.SetTags("parameters")
	open := notebook.NewCode(openSource(s.Paper.Package()))
	open.ID = "lab"
	call := notebook.NewCode(g.Call)
	call.ID, call.Outputs = "experiment", g.Outputs
	nb.Cells = []*notebook.Cell{title, set, open, call}
	for i, c := range nb.Cells[1:] {
		c.ExecutionCount = i + 1
	}
	for _, o := range call.Outputs {
		if o.Type() == notebook.ExecuteResult {
			o["execution_count"] = call.ExecutionCount
		}
	}
	return nb
}

// openSource is the cell that opens the lab of a paper's package.
func openSource(pkg string) string {
	return fmt.Sprintf("import %q\n\nlab, err := %s.New(size, uint64(seed))\nif err != nil {\n\tpanic(err)\n}", pkg, filepath.Base(pkg))
}
