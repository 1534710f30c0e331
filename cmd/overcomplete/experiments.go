package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"overcomplete/internal/terminal"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
	"overcomplete/suite"
)

// experiments holds what the run command knows about the experiments in a project's notebooks. A target is one
// experiment that the user can request by name.
type experiments struct {
	root  string
	suite *suite.Suite // nil outside the project
	opt   suite.Options
	// only is the map of the requested targets, by notebook; nil means all targets.
	only    map[string][]suite.Target
	started time.Time
}

// openExperiments opens the suite of the project that contains the first notebook or, if there are no notebooks, the
// working directory. It finds the experiments that opt.Only requests.
func openExperiments(notebooks []string, opt suite.Options) (*experiments, error) {
	p := &experiments{opt: opt, started: time.Now()}
	dir := "."
	if len(notebooks) > 0 {
		dir = filepath.Dir(notebooks[0])
	}
	root, ok, err := record.Project(dir)
	if err != nil {
		return nil, err
	}
	if !ok {
		if len(opt.Only) > 0 {
			return nil, fmt.Errorf("--only works only in the project's folder, the one with go.mod and notebooks: run the command there")
		}
		return p, nil
	}
	p.root = root
	if len(opt.Only) > 0 && len(notebooks) > 0 {
		if err := p.choose(notebooks); err != nil {
			return nil, err
		}
	}
	p.suite, err = suite.Open(root, declaredPapers()...)
	return p, err
}

// choose finds the requested experiments, and the notebooks that contain them. If a notebook contains none of them,
// choose returns an error.
func (p *experiments) choose(notebooks []string) error {
	var all []suite.Target
	for _, n := range notebooks {
		list, e := suite.TargetsOf(p.root, n)
		if e != nil {
			return e
		}
		all = append(all, list...)
	}
	p.only = map[string][]suite.Target{}
	names, err := p.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		t, err := suite.Find(all, name)
		if err != nil {
			return err
		}
		path, err := filepath.Abs(t.Notebook)
		if err != nil {
			return err
		}
		p.only[path] = append(p.only[path], t)
	}
	for _, n := range notebooks {
		if path, err := filepath.Abs(n); err == nil && p.only[path] == nil {
			return fmt.Errorf("%s has none of the experiments %s: leave out the notebook", n, strings.Join(names, ", "))
		}
	}
	return nil
}

// names returns the requested experiments, without repetitions.
func (p *experiments) names() ([]string, error) {
	var names []string
	for _, name := range p.opt.Only {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("--only needs the name of an experiment; 'overcomplete list' lists the names")
	}
	return names, nil
}

// options returns the suite's options for the notebook at path. If the user has requested experiments, the options
// request those that are in this notebook.
func (p *experiments) options(path string) suite.Options {
	opt := p.opt
	opt.Only = nil
	for _, t := range p.only[path] {
		opt.Only = append(opt.Only, t.Name)
	}
	return opt
}

// knows reports whether the notebook at path belongs to the project of p. A run of any other notebook keeps no results
// and uses no earlier ones.
func (p *experiments) knows(path string) bool {
	if p.suite == nil {
		return false
	}
	root, ok, err := record.Project(filepath.Dir(path))
	return err == nil && ok && sameFile(root, p.root)
}

// changedNotebooks returns the notebooks that have to run with the given parameters. It leaves out a notebook if a run
// would give the same results as its last run, because neither the notebook, its dependencies nor the parameters have
// changed since. For each notebook left out, it prints the time of the last run.
func (p *experiments) changedNotebooks(notebooks []string, set []headless.Assignment) (changed []string) {
	for _, n := range notebooks {
		path, err := filepath.Abs(n)
		if err == nil && p.knows(path) {
			if made, ok := p.suite.Unchanged(path, set, p.options(path)); ok {
				fmt.Printf("%s: last run on %s; nothing has changed since\n", filepath.Base(path), made.Local().Format("2 January at 15:04"))
				continue
			}
		}
		changed = append(changed, n)
	}
	return changed
}

// memory returns the Memory for a run of the notebook at path: it knows the outputs of earlier runs, so that cells
// need not run again. memory returns nil if nothing can be kept.
func (p *experiments) memory(path string, reference func() float64, say func(string)) headless.Memory {
	if !p.knows(path) {
		return nil
	}
	opt := p.options(path)
	opt.Reference = reference()
	return p.suite.Memory(path, opt, say)
}

// results returns, as text, the results of the requested experiments in a notebook: the measured values next to the
// published values.
func (p *experiments) results(path string) string {
	targets := p.only[path]
	if len(targets) == 0 {
		return ""
	}
	r, err := record.Read(filepath.Join(p.root, "figures", "run", targets[0].Paper, record.FileName))
	if err != nil {
		return fmt.Sprintf("the results cannot be read: %v\n", err)
	}
	// Both times are truncated to seconds, in UTC.
	if len(r.Made) > 0 && r.Made[0].Started < p.started.UTC().Format(time.RFC3339) {
		return fmt.Sprintf("%s left no results, because none of its cells calls Finish\n", shortPath(path))
	}
	var b strings.Builder
	for _, t := range targets {
		var rows []record.Row
		for _, row := range r.Rows {
			if row.Origin.Experiment == t.Method {
				rows = append(rows, row)
			}
		}
		b.WriteString(rowsOf(t.Name, r.Size, rows))
	}
	return b.String()
}

// rowsOf returns the results of an experiment as text. Each row has a measured value next to the published value.
func rowsOf(target, size string, rows []record.Row) string {
	if len(rows) == 0 {
		return fmt.Sprintf("\n%s has no rows: its output is in the notebook that was written\n", target)
	}
	table := record.Tabulate(rows)
	table.Title = fmt.Sprintf("\n%s, %s size", target, size)
	if terminal.Is(os.Stdout) && os.Getenv("NO_COLOR") == "" {
		return table.ANSI()
	}
	return table.String()
}

// dryRun prints what a run would do.
func (p *experiments) dryRun(notebooks []string, set []headless.Assignment) int {
	for _, path := range notebooks {
		path, err := filepath.Abs(path)
		if err != nil {
			return fail(err)
		}
		if !p.knows(path) {
			fmt.Printf("%s\n  this notebook is outside the project, so no results are kept: all cells would run\n\n", shortPath(path))
			continue
		}
		if err := p.dryRunOne(path, set); err != nil {
			return fail(err)
		}
	}
	return 0
}

func (p *experiments) dryRunOne(path string, set []headless.Assignment) error {
	nb, err := notebook.Read(path)
	if err != nil {
		return err
	}
	plan, err := p.suite.Plan(nb, suite.PaperOf(path), set, p.options(path))
	if plan == nil {
		return err
	}
	return p.showPlan(path, plan, err)
}

// showPlan prints what a run of a notebook, or of its experiments, would do. If unknown is not nil, it is the reason
// why results of earlier runs can be neither used nor kept.
func (p *experiments) showPlan(path string, plan *suite.Plan, unknown error) error {
	targets, err := suite.TargetsOf(p.root, path)
	if err != nil {
		return err
	}
	fmt.Printf("%s\n", shortPath(path))
	if unknown != nil {
		fmt.Printf("  %v\n", unknown)
	}
	width := 0
	for _, st := range plan.Steps {
		width = max(width, len(st.Target))
	}
	shown := map[string]bool{}
	for _, st := range plan.Steps {
		if st.Target == "" || shown[st.Target] || st.Action == suite.Leave {
			continue
		}
		shown[st.Target] = true
		what := st.Reason()
		if st.Action == suite.Keep {
			what = "made " + st.Made
		}
		took := ""
		if st.Seconds > 0 {
			took = formatRoughly(st.Seconds)
		} else if i := slices.IndexFunc(targets, func(t suite.Target) bool { return t.Name == st.Target }); i >= 0 && targets[i].Seconds > 0 {
			took = formatRoughly(targets[i].Seconds) + " at " + targets[i].Size + " size"
		}
		fmt.Printf("  %-*s  %-4s  %-24s  %s\n", width, st.Target, st.Action, took, what)
	}
	fmt.Println()
	return nil
}

// formatRoughly formats a time approximately.
func formatRoughly(seconds float64) string {
	switch {
	case seconds < 1:
		return "under 1 s"
	case seconds < 90:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 5400:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// projectHere returns the root of the project that contains the working directory.
func projectHere() (string, error) {
	root, ok, err := record.Project(".")
	if err == nil && !ok {
		err = errors.New("this folder is not in the project: run the command in the folder where the project was cloned or unpacked, the one with go.mod and notebooks")
	}
	return root, err
}

const listUsage = `usage: overcomplete list [WORD...]
       overcomplete list --time | --budget [--size SIZE] [WORD...]

Lists the experiments, which 'overcomplete run --only NAME' and 'make NAME' run, with the
time that each took when it was recorded. With words, it lists only the experiments whose
line contains all the words.

`

// runList lists the experiments: the subcommand "list".
func runList(args []string) int {
	fs := newFlags("list", listUsage)
	times := fs.Bool("time", false, "list the time that each took when it last ran on this machine, the most expensive first")
	budget := fs.Bool("budget", false, "compare each notebook's processor time with "+suite.BudgetFile+"; exit 1 if one took far more")
	size := fs.String("size", record.Lecture, "with --time or --budget: show runs at this size")
	words, code, ok := parseMixed(fs, args)
	if !ok {
		return code
	}
	root, err := projectHere()
	if err != nil {
		return fail(err)
	}
	if !slices.Contains(record.Sizes(), *size) {
		return wrong(fs, "--size must be %s, not %q", sizeChoice(), *size)
	}
	if *times || *budget {
		return runTimes(root, *size, words, *times, *budget)
	}
	targets := suite.Targets(root, declaredPapers())
	width := 0
	for _, t := range targets {
		width = max(width, len(t.Name))
	}
	paper := ""
	for _, t := range targets {
		took := "not recorded"
		if t.Size != "" {
			took = fmt.Sprintf("%s (%s)", formatRoughly(t.Seconds), t.Size)
		}
		line := fmt.Sprintf("  %-*s  %-20s  %s", width, t.Name, took, t.Heading)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(strings.ToLower(line+t.Paper), strings.ToLower(w)) }) {
			if t.Paper != paper {
				fmt.Printf("notebooks/%s.ipynb\n", t.Paper)
				paper = t.Paper
			}
			fmt.Println(line)
		}
	}
	fmt.Println("\n'make NAME' runs one; 'overcomplete run --only NAME --size full' runs it at another size; -n says what would run.\n'overcomplete list --time' (make times) lists what each took here, the most expensive first.")
	return 0
}
