package suite

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// A Request describes a run of a paper's declared experiments without its notebook.
type Request struct {
	Paper lab.Paper
	Size  string
	Seed  uint64
	Only  []string // targets
	Fresh bool     // kept results are not used
	// Timeout limits the time of all experiments together, EachTimeout the time of each experiment. 0 means
	// no limit.
	Timeout, EachTimeout time.Duration
	// AllowErrors continues with the next experiment when one fails.
	AllowErrors bool
	// Reference measures the reference product. It is called if any experiment runs, and may be nil.
	Reference func() float64
	// Say is called with messages about what runs and why. Begin is called when an experiment begins. It returns a
	// function, which is called when the experiment ends. Say and Begin may be nil.
	Say   func(text string)
	Begin func(target string) (end func(how string))
}

// An Outcome is the result of one requested experiment.
type Outcome struct {
	Target  string
	Call    string // as written in a cell
	Rows    []record.Row
	Outputs []notebook.Output // Outputs that a cell would show
	Kept    bool              // the result is from an earlier run
	Took    headless.Cost     // cost of the run that measured the result
}

// PlanDirect decides which of a paper's declared experiments run. An experiment that was not requested never
// runs, but its kept result is included in the results of the run. Like Plan, it may return a plan together
// with an error.
func (s *Suite) PlanDirect(d Request) (*Plan, error) {
	p := &Plan{Paper: d.Paper.Notebook, labs: []string{path.Base(d.Paper.Package())}}
	asked := map[string]bool{}
	for _, name := range d.Only {
		asked[name] = true
	}
	var unknown error
	experiments := declaredExperiments([]lab.Paper{d.Paper})
	for i := range experiments {
		declared := &experiments[i]
		st := Step{Target: declared.target, anyCell: true}
		var err error
		if unknown == nil {
			if st.inputs, err = s.inputs(declared, d.Size, strconv.FormatUint(d.Seed, 10)); err == nil {
				program := st.inputs
				program.Kernel = nil // no kernel runs
				err = s.checkStale(program)
			}
			unknown = err
		}
		switch {
		case unknown != nil:
		case d.Fresh && asked[st.Target]:
			st.Why = []string{"requested (--fresh)"}
			st.place = s.placeOf(declared, st.inputs)
		default:
			st.place = s.placeOf(declared, st.inputs)
			st.find(s)
		}
		if st.Action == Run && !asked[st.Target] {
			st.Action, st.Why = Leave, nil
		}
		p.Steps = append(p.Steps, st)
	}
	if unknown != nil {
		for i := range p.Steps {
			st := &p.Steps[i]
			*st = Step{Target: st.Target, Action: Leave}
			if asked[st.Target] {
				st.Action, st.Why = Run, explainUnkept(unknown)
			}
		}
	}
	for _, name := range d.Only {
		if !slices.ContainsFunc(p.Steps, func(st Step) bool { return st.Target == name }) {
			return nil, fmt.Errorf("the paper of %s declares no experiment %q", p.Paper, name)
		}
	}
	return p, unknown
}

// RunDirect runs declared experiments in this process and writes figures and results to figures/run. It
// returns the outcomes of the requested experiments, in the order of the declaration. After a failure, it
// returns only the outcomes up to that point. Only one call may run at a time. When ctx is done, RunDirect
// returns within two seconds; an experiment may still be running then, and the process should end.
func (s *Suite) RunDirect(ctx context.Context, d Request) ([]Outcome, error) {
	if d.Say == nil {
		d.Say = func(string) {}
	}
	if d.Begin == nil {
		d.Begin = func(string) func(string) { return func(string) {} }
	}
	if d.Timeout > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeoutCause(ctx, d.Timeout, fmt.Errorf("time-out: the experiments took longer than %v", d.Timeout))
		defer cancel()
	}
	plan, unknown := s.PlanDirect(d)
	if plan == nil {
		return nil, unknown
	}
	m := &Memory{suite: s, paper: d.Paper.Notebook, say: d.Say, size: d.Size}
	if err := m.begin(plan, unknown); err != nil {
		return nil, err
	}
	defer m.free()
	r := &directRun{Request: d, Memory: m}
	defer record.Listen(r.hear)()
	var err error
	if r.lab, err = d.Paper.Open(d.Size, d.Seed); err != nil {
		return nil, err
	}
	r.lab.Recording().SetPart()
	if d.Fresh {
		r.lab.Recording().SetFresh()
	}
	given, err := r.runAll(ctx)
	if err == nil || d.AllowErrors && ctx.Err() == nil {
		err = errors.Join(err, r.lab.Finish())
	}
	if e := s.noteTimes(d.Paper.Notebook, d.Size, r.times); e != nil { // the times help to plan later runs
		d.Say(fmt.Sprintf("%s: cannot save the times that it took: %v\n", m.paper, e))
	}
	return given, err
}

// A directRun is the state of one RunDirect call.
type directRun struct {
	Request
	*Memory
	lab   lab.OpenLab
	times []CellCost

	mu    sync.Mutex
	heard []record.Event
}

func (r *directRun) hear(e record.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case e.Used != nil:
		r.use(*e.Used)
	case e.Run == nil:
		r.heard = append(r.heard, e)
	}
}

// runAll goes through the experiments in the order of their declaration: it replays kept results, and runs the other
// experiments as planned. It returns the outcomes of the requested experiments.
func (r *directRun) runAll(ctx context.Context) (given []Outcome, err error) {
	for i, e := range r.Paper.Experiments {
		st := &r.plan.Steps[i]
		asked := slices.Contains(r.Only, st.Target)
		if st.Action == Leave {
			continue
		}
		g := Outcome{Target: st.Target, Call: e.Call()}
		if st.Action == Keep {
			again := r.replay(st, &g)
			if again == nil {
				if asked {
					given = append(given, g)
				}
				continue
			}
			if !asked {
				continue
			}
			r.say(fmt.Sprintf("%s runs, because its earlier result cannot be used: %v\n", st.Target, again))
		}
		failed := r.run(ctx, e, st, &g)
		if failed == nil {
			given = append(given, g)
			continue
		}
		err = errors.Join(err, failed)
		if ctx.Err() != nil || !r.AllowErrors {
			return given, err
		}
	}
	return given, err
}

// replay adds the rows and figures of a kept result to the run, and fills in g. If the result can no longer be used,
// it returns an error that says why.
func (r *directRun) replay(st *Step, g *Outcome) error {
	// Other experiments may have rewritten files that the result depends on.
	if why := usedChanges(r.suite.root, st.entry.Used); len(why) > 0 {
		return errors.New(strings.Join(why, "; "))
	}
	err := st.entry.verify()
	if err == nil {
		g.Outputs, err = st.entry.outputs()
	}
	if err == nil {
		err = r.lab.Recording().Replay(st.entry.Events, st.entry.folder, st.entry.Made)
	}
	if err != nil {
		return err
	}
	st.entry.touch()
	g.Kept, g.Took, g.Rows = true, st.entry.cost(), r.rows(st.entry.Events)
	return nil
}

// rows returns those rows of the run that the given events mention.
func (r *directRun) rows(events []record.Event) (rows []record.Row) {
	for _, row := range r.lab.Rows() {
		if slices.ContainsFunc(events, func(e record.Event) bool { return e.Row != nil && e.Row.ID == row.ID }) {
			rows = append(rows, row)
		}
	}
	return rows
}

// run runs the experiment e, fills in g and keeps the result.
func (r *directRun) run(ctx context.Context, e lab.Experiment, st *Step, g *Outcome) error {
	if r.Request.Reference != nil && r.opt.Reference == 0 {
		r.opt.Reference = r.Request.Reference()
	}
	if r.EachTimeout > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeoutCause(ctx, r.EachTimeout, fmt.Errorf("time-out: the experiment took longer than %v", r.EachTimeout))
		defer cancel()
	}
	r.lab.SetContext(ctx)
	folder := r.lab.Recording().Dir()
	before := marksOf(folder)
	r.mu.Lock()
	r.heard = nil // drop the events of an experiment that failed
	r.mu.Unlock()
	end := r.Request.Begin(st.Target)
	begin := time.Now()
	var err error
	g.Outputs, g.Took, err = headless.Direct(ctx, func() any { return e.Run(r.lab) })
	switch {
	case ctx.Err() != nil && err != nil:
		end("stopped")
		return fmt.Errorf("%s: %w", st.Target, context.Cause(ctx))
	case err != nil:
		end("failed")
		return fmt.Errorf("%s: %w", st.Target, err)
	}
	defer end("done")
	r.mu.Lock()
	events, used := r.heard, slices.Clone(r.used)
	r.heard = nil
	r.mu.Unlock()
	g.Rows = r.rows(events)
	r.times = append(r.times, CellCost{Target: st.Target, Seconds: seconds(g.Took.Wall), Processor: seconds(g.Took.Processor), Reference: r.opt.Reference})
	if st.place == "" {
		return nil
	}
	for _, text := range st.stages(used, begin) {
		r.say(text + "\n")
	}
	c := notebook.NewCode(e.Call())
	c.ID, c.Outputs = e.Name, g.Outputs
	in := st.inputs
	in.Kernel = nil
	kept := newEntry(st.Target, in, used, begin, g.Took, r.opt.Reference, events)
	if err := r.suite.store.write(st.place, kept, c, folder, before); err != nil {
		r.say(fmt.Sprintf("%s: cannot save its result: %v\n", st.Target, err))
	}
	return nil
}
