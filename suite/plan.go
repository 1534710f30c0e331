package suite

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/lab"
	"overcomplete/suite/reach"
)

// A Suite holds the papers of one project and their kept results.
type Suite struct {
	root  string
	store store
	// built is the time when the running program was built. If the source has changed since then, kept
	// results cannot be checked. Zero disables this check.
	built time.Time
	// elsewhere is the folder from which the running program was built, if it is not this project's folder; otherwise
	// it is empty. Code from another folder may differ.
	elsewhere   string
	experiments []declaredExperiment // declared by the papers
	data        map[string][]string  // names of the Labs' methods that return data, by package
	timed       func() map[string]bool
	cells       sync.RWMutex // each running cell holds it; a cell that measures times holds it exclusively
	code        func() (*reach.Code, error)
	engine      func() (*Kernel, error) // returns the kernel's identity without the tables
	tables      func() (map[string][]reach.Part, error)
}

// Open opens the suite of the project at root. papers are the project's papers, which declare the experiments. Results
// are kept in the user's cache.
func Open(root string, papers ...lab.Paper) (*Suite, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("suite: cannot keep results: %w", err)
	}
	s := OpenIn(root, filepath.Join(cache, "overcomplete", "results"), papers...)
	if exe, err := os.Executable(); err == nil {
		if info, err := os.Stat(exe); err == nil {
			s.built = info.ModTime()
		}
	}
	if exe, err := os.Executable(); err == nil && strings.Contains(exe, "go-build") {
		s.built = time.Now() // go run has just built the program from the source
	}
	if from := builtRoot(); from != "" && !sameFolder(from, root) {
		s.elsewhere = from
	}
	return s, nil
}

// OpenIn is like Open, but keeps results in the given folder, and does not check whether the running program is older
// than the source.
func OpenIn(root, folder string, papers ...lab.Paper) *Suite {
	s := &Suite{root: root, store: store{folder}, experiments: declaredExperiments(papers), data: map[string][]string{}}
	for _, p := range papers {
		s.data[p.Package()] = p.DataFuncs()
	}
	s.code = sync.OnceValues(func() (*reach.Code, error) { return scan(root) })
	s.engine = sync.OnceValues(func() (*Kernel, error) {
		code, err := s.code()
		if err != nil {
			return nil, err
		}
		return scanKernel(code)
	})
	s.timed = sync.OnceValue(func() map[string]bool { return timedExperiments(root) })
	s.tables = sync.OnceValues(func() (map[string][]reach.Part, error) { return scanTables(root) })
	return s
}

// scan reads the source below root. It returns an error if there is no source: the user may have unpacked only the
// program and the notebooks of a release.
func scan(root string) (*reach.Code, error) {
	if _, err := os.Stat(filepath.Join(root, "kernel")); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s does not contain the source, so it is unknown which results still hold: everything is measured, and nothing is kept", root)
	}
	return reach.Scan(root)
}

// An Action says what to do with a cell.
type Action int

// The actions for a cell.
const (
	Run   Action = iota
	Keep         // show the outputs of an earlier run, and reuse its rows and figures
	Show         // show the outputs in the record, and reuse its rows and figures
	Leave        // do nothing: the cell was not requested
)

// String returns the action as one word.
func (a Action) String() string { return [...]string{"run", "kept", "recorded", "left out"}[a] }

// A Step says what to do with one code cell, and why.
type Step struct {
	Cell    string // the cell's ID
	Target  string // empty for a plain cell
	Action  Action
	Why     []string // why an experiment runs: what has changed, or that no result is kept
	Seconds float64  // elapsed seconds of the last run with these parameters; 0 if there was no such run
	Made    string   // when a kept result was made

	view    *view // nil if the cell's result cannot be kept
	inputs  Inputs
	needs   []string // cells, by their IDs
	entry   *entry
	shown   *recordedResult // set for Show
	alone   bool            // no other cell may run at the same time
	place   string
	run     string // paper of the run that receives the results
	anyCell bool   // the result may come from any cell, because its outputs do not matter
}

// Reason returns Why in one line. If there are more than three reasons, it returns the first two and the
// number of the remaining ones.
func (st Step) Reason() string {
	if n := len(st.Why); n > 3 {
		return fmt.Sprintf("%s; %s; and %d more", st.Why[0], st.Why[1], n-2)
	}
	return strings.Join(st.Why, "; ")
}

// A Plan says what to do with the code cells of a notebook.
type Plan struct {
	Paper string
	Steps []Step

	labs []string // packages of the labs with experiments, sorted
}

// Options say which cells run.
type Options struct {
	Fresh bool // kept results are not used
	// Committed leaves out kept results that do not name the commit of the program that measured them. They cannot
	// become part of the record.
	Committed bool
	// Recorded shows recorded results, at lecture size, for experiments that are declared slow, unless a
	// newer result is kept.
	Recorded bool
	Only     []string // targets: run only these experiments and the cells that they need; empty: run all
	// Reference is the processor time of the reference product in seconds (see Reference), measured around
	// the time of the run. It is stored with the cells' times. 0 means that it was not measured.
	Reference float64
}

// A StaleError says that results cannot be kept because the program is older than the source.
type StaleError struct{ File string }

// Error describes the problem and how to fix it.
func (e *StaleError) Error() string {
	return fmt.Sprintf("%s is newer than this program: results can be neither used nor kept until the program is rebuilt (make build)", e.File)
}

// Plan decides what to do with the cells of a notebook. set holds the values given to the notebook's parameters. If
// kept results cannot be checked, because the program is older than the source (a *StaleError) or the source cannot be
// read, Plan returns an error together with a plan that uses no kept results. If the notebook lacks an experiment that
// opt.Only names, Plan returns an error and no plan.
func (s *Suite) Plan(nb *notebook.Notebook, paper string, set []headless.Assignment, opt Options) (*Plan, error) {
	if len(set) > 0 { // a run removes the cell with earlier parameters
		nb = &notebook.Notebook{Cells: slices.DeleteFunc(slices.Clone(nb.Cells), func(c *notebook.Cell) bool { return c.Tagged(tagInjected) })}
	}
	cells := read(nb)
	names := nameAll(cells)
	values := map[string]string{}
	for _, a := range set {
		values[a.Name] = "=" + a.Text // distinguish the text from an expression
	}
	p := &Plan{Paper: paper, Steps: make([]Step, len(cells))}
	var unknown error
	for i, c := range cells {
		st := &p.Steps[i]
		st.Cell = c.ID
		if !c.isExperiment() {
			continue
		}
		if lab := path.Base(c.lab.pkg); !slices.Contains(p.labs, lab) {
			p.labs = append(p.labs, lab)
		}
		st.Target = names[i]
		var err error
		if st.view, err = s.view(cells, i, values); err == nil {
			err = st.look(s, paper)
		}
		if n := (*notKeptError)(nil); errors.As(err, &n) {
			st.Why = []string{"its result cannot be saved: " + n.why}
			continue
		}
		if err == nil {
			err = s.checkStale(st.inputs)
		}
		if err != nil {
			unknown = cmp.Or(unknown, err)
			continue
		}
		for _, j := range needs(cells, i) {
			st.needs = append(st.needs, cells[j].ID)
		}
		if opt.Fresh && (len(opt.Only) == 0 || slices.Contains(opt.Only, st.Target)) {
			st.Why = []string{"requested (--fresh)"}
			continue
		}
		st.find(s)
		if opt.Committed && st.Action == Keep && !st.entry.Made.Committed() {
			st.Action, st.Why, st.entry, st.Made = Run, []string{"its result names no commit, and the record needs one"}, nil, ""
		}
	}
	if unknown != nil {
		for i, c := range cells {
			p.Steps[i] = Step{Cell: c.ID, Target: names[i], Why: explainUnkept(unknown), view: p.Steps[i].view}
		}
	}
	if opt.Recorded && !opt.Fresh {
		s.showRecorded(p, paper, cells)
	}
	for i, c := range cells {
		p.Steps[i].alone = s.runsAlone(c)
	}
	if len(opt.Only) > 0 {
		if err := p.limitTo(cells, opt.Only); err != nil {
			return nil, err
		}
	}
	p.complete(cells)
	return p, unknown
}

// look determines the inputs of the step's experiment, the folder of the store for its results (st.place), and the
// paper whose run receives its rows and figures (st.run).
func (st *Step) look(s *Suite, paper string) (err error) {
	v := st.view
	if st.inputs, err = s.inputs(v.declaredExperiment, v.size, v.seed); err != nil {
		return err
	}
	if !v.plain {
		st.inputs.Source = v.source
	}
	st.run, st.place = v.notebook, s.placeOf(v.declaredExperiment, st.inputs)
	if v.more { // a view that only shows more adds no rows or figures
		st.place = s.store.place(paper, st.Cell, st.inputs.Parameters)
	}
	return nil
}

// find looks for a kept result that is still valid. If there is one, it sets the step's action to Keep. Otherwise it
// sets Why to the reasons.
func (st *Step) find(s *Suite) {
	entries := s.store.entries(st.place)
	if len(entries) == 0 {
		st.Why = []string{"there is no result yet"}
		if others, _ := os.ReadDir(filepath.Dir(st.place)); len(others) > 0 {
			st.Why[0] += " with these parameters"
		}
		return
	}
	for _, e := range entries {
		now := st.inputs
		if st.anyCell {
			now.Source = e.Inputs.Source
		}
		why := append(changes(e.Inputs, now), usedChanges(s.root, e.Used)...)
		if len(why) == 0 {
			if err := e.verify(); err != nil {
				why = []string{"the earlier result cannot be used: " + err.Error()}
			} else {
				st.Action, st.Why, st.entry, st.Seconds, st.Made = Keep, nil, e, e.Seconds, e.Made.Started
				return
			}
		}
		if st.Why == nil { // give the reasons for the most recently used entry
			st.Why, st.Seconds = why, e.Seconds
		}
	}
}

// checkStale returns a *StaleError if go.mod, go.sum, or a file with code among the given inputs was changed after the
// program was built. It returns another error if the program was built in another folder.
func (s *Suite) checkStale(in Inputs) error {
	if s.built.IsZero() {
		return nil
	}
	if s.elsewhere != "" {
		return fmt.Errorf("this program was built in %s, not here: results can be neither used nor kept until the program is built here (make build)", s.elsewhere)
	}
	files := []string{"go.mod", "go.sum"} // another version of a module is different code too
	code := in.Code
	if in.Kernel != nil {
		code = slices.Concat(code, in.Kernel.Files)
	}
	for _, part := range code {
		if part.File != files[len(files)-1] {
			files = append(files, part.File)
		}
	}
	for _, f := range files {
		info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(f)))
		if err == nil && info.ModTime().After(s.built) {
			return &StaleError{f}
		}
	}
	return nil
}

// checkout is the folder of the source from which this program was built. The Makefile sets this variable,
// because make builds the program without paths.
var checkout string

// builtRoot returns the root of the source from which this program was built. It returns "" if the program was
// built without paths (go build -trimpath) and without make.
func builtRoot() string {
	if checkout != "" {
		return checkout
	}
	_, file, _, ok := runtime.Caller(0)
	if file = filepath.FromSlash(file); !ok || !filepath.IsAbs(file) {
		return ""
	}
	return filepath.Dir(filepath.Dir(file)) // the file is suite/plan.go
}

// sameFolder reports whether two paths refer to the same folder, possibly through links.
func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// limitTo leaves out cells that would otherwise run but that the targets do not need. Kept and recorded results are
// still shown. A plain cell that mentions a Finish method (see record.Run.Finish) runs, with the plain cells that it
// needs. Any other plain cell runs if it is above the last target and needs only experiments that are targets or that
// a target needs. limitTo returns an error if the notebook lacks a target.
func (p *Plan) limitTo(cells []*cell, targets []string) error {
	wanted := map[int]bool{}
	last := 0
	for _, t := range targets {
		found := false
		for i := range cells {
			if p.Steps[i].Target == t {
				found, last = true, max(last, i)
				wanted[i] = true
				for _, j := range needs(cells, i) {
					wanted[j] = true
				}
			}
		}
		if !found {
			return fmt.Errorf("the notebook of %s has no experiment %q", p.Paper, t)
		}
	}
	for i, c := range cells {
		if wanted[i] || c.isExperiment() {
			continue
		}
		if callsFinish(c) {
			wanted[i] = true
			for _, j := range needs(cells, i) {
				wanted[j] = wanted[j] || !cells[j].isExperiment() && !c.opaque
			}
			continue
		}
		wanted[i] = i < last && !slices.ContainsFunc(needs(cells, i), func(j int) bool { return cells[j].isExperiment() && !wanted[j] })
	}
	for i := range cells {
		if !wanted[i] && p.Steps[i].Action == Run {
			p.Steps[i].Action, p.Steps[i].Why = Leave, nil
		}
	}
	return nil
}

// callsFinish reports whether a plain cell calls Finish.
func callsFinish(c *cell) bool { return !c.isExperiment() && c.fields["Finish"] }

// complete changes the plan so that every cell on which a running cell depends runs, too, even if its result is kept.
func (p *Plan) complete(cells []*cell) {
	for i := len(cells) - 1; i >= 0; i-- {
		if p.Steps[i].Action != Run {
			continue
		}
		for _, j := range needs(cells, i) {
			st := &p.Steps[j]
			if st.Action == Run {
				continue
			}
			if st.Target != "" {
				by := p.Steps[i].Target
				if by == "" {
					by = "the cell " + p.Steps[i].Cell
				}
				st.Why = []string{by + " needs its result"}
			}
			st.Action = Run
		}
	}
}

// Summary returns a few lines about what runs and why. It groups experiments with the same reason.
func (p *Plan) Summary() string {
	counted := map[string]bool{} // several cells may show one experiment
	kept, run := 0, 0
	var shown []string
	var reasons []string
	by := map[string][]string{}
	for _, st := range p.Steps {
		if st.Target == "" || st.Action == Leave {
			continue
		}
		first := !counted[st.Target]
		counted[st.Target] = true
		if st.Action == Keep {
			if first {
				kept++
			}
			continue
		}
		if st.Action == Show {
			if first {
				shown = append(shown, st.Target)
			}
			continue
		}
		if first {
			run++
		}
		why := st.Reason()
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
		if !slices.Contains(by[why], st.Target) {
			by[why] = append(by[why], st.Target)
		}
	}
	if kept+run+len(shown) == 0 {
		return ""
	}
	var b strings.Builder
	runs, are := "experiments run", "are"
	if run == 1 {
		runs = "experiment runs"
	}
	if kept == 1 {
		are = "is"
	}
	fmt.Fprintf(&b, "%s: %d %s, %d %s kept from earlier runs\n", p.Paper, run, runs, kept, are)
	if len(shown) > 0 {
		fmt.Fprintf(&b, "  %s: shown from the record, because measuring takes long (make NAME measures one)\n", strings.Join(shown, ", "))
	}
	for _, why := range reasons {
		names := by[why]
		if len(names) > 4 {
			names = append(slices.Clone(names[:3]), fmt.Sprintf("%d more", len(names)-3))
		}
		fmt.Fprintf(&b, "  %s: %s\n", strings.Join(names, ", "), why)
	}
	return b.String()
}

// explainUnkept returns, for Step.Why, the reason why no results are kept: the first line of err.
func explainUnkept(err error) []string {
	why, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "suite: "), "\n")
	return []string{"results cannot be kept: " + why}
}
