package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"overcomplete/internal/filelock"
	"overcomplete/internal/inside"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// A Memory manages the kept results during one run of a notebook. It implements headless.Memory: it
// skips cells with kept results, and keeps the results of cells that run.
type Memory struct {
	suite *Suite
	paper string
	opt   Options
	say   func(text string)

	plan *Plan
	used []record.Dependency // in this session
	// began holds the surroundings of the process (see callSurroundings) before the first cell. After a cell
	// has changed the surroundings, no earlier results are kept or shown.
	began string
	// running is the last cell that was about to run. If Keep was not called for it, the cell has failed.
	running string
	failed  []string // cells, by their IDs
	folder  string   // where the running cell's lab writes
	before  marks    // the files in that folder when the running cell began
	turn    turn     // the running cell's turn
	release []func()

	// size is the size of the run, or "" if its times are not kept. took holds the cost of each cell.
	size string
	took map[string]CellCost
}

// Memory returns a Memory for one run of a notebook. It calls say with messages
// about what runs and why, and about results that could not be kept; say may be
// nil.
func (s *Suite) Memory(path string, opt Options, say func(text string)) *Memory {
	if say == nil {
		say = func(string) {}
	}
	return &Memory{suite: s, paper: PaperOf(path), opt: opt, say: say}
}

// PaperOf returns the name of a notebook's paper, which is the notebook's name.
func PaperOf(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// Begin makes the plan for a run of the notebook, and locks the labs in the plan.
func (m *Memory) Begin(nb *notebook.Notebook, set []headless.Assignment) error {
	p, err := m.suite.Plan(nb, m.paper, set, m.opt)
	if p == nil {
		return err
	}
	m.size, _ = plainSize(nb, set)
	return m.begin(p, err)
}

// begin locks the labs of the plan p, and announces the plan. unknown is the reason why results cannot be kept, or
// nil.
func (m *Memory) begin(p *Plan, unknown error) error {
	m.plan, m.took = p, map[string]CellCost{}
	if err := m.claim(); err != nil {
		return err
	}
	if unknown != nil {
		m.say(fmt.Sprintf("%s: %v\n", m.paper, unknown))
	}
	m.say(p.Summary())
	for _, st := range p.Steps {
		if st.entry != nil { // protect the entry from other runs until it is used
			st.entry.touch()
		}
	}
	return nil
}

// lockName returns the name of the lock file of a lab.
func lockName(lab string) string { return ".lock-" + lab }

// claim locks the labs of the notebook for this run. The files that a cell writes to the lab's folder are kept only
// after the cell has ended, and no other run may overwrite them before that. claim locks labs and not notebooks,
// because copies of a notebook write to the same folder.
func (m *Memory) claim() error {
	for _, lab := range m.plan.labs {
		folder := filepath.Join(m.suite.root, "figures", "run")
		release, err := m.lock(folder, lab)
		if err != nil {
			m.free()
			return fmt.Errorf("suite: %w", err)
		}
		if release == nil {
			m.free()
			return fmt.Errorf("another run is using the lab of %s, and both would write the same figures: wait for the other run, or stop it", lab)
		}
		m.release = append(m.release, release)
	}
	return nil
}

// lock reserves a lab for this run until the returned function is called, or until the process ends or crashes. The
// returned function is nil if another run holds the lock.
func (m *Memory) lock(folder, lab string) (release func(), err error) {
	file := filepath.Join(folder, lockName(lab))
	if err := inside.Check(m.suite.root, file); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	release, err = filelock.TryLock(file)
	if errors.Is(err, errors.ErrUnsupported) { // a missing lock must not prevent a run
		return func() {}, nil
	}
	return release, err
}

// End stores the costs of the cells, and unlocks the notebook's labs for other
// runs.
func (m *Memory) End() {
	m.turn.end()
	if err := m.keepTimes(); err != nil { // the times help to plan later runs
		m.say(fmt.Sprintf("%s: cannot save the times that it took: %v\n", m.paper, err))
	}
	m.took = nil
	m.free()
}

// free unlocks the labs for other runs.
func (m *Memory) free() {
	for _, release := range m.release {
		release()
	}
	m.release = nil
}

func (m *Memory) step(c *notebook.Cell) *Step {
	i := slices.IndexFunc(m.plan.Steps, func(s Step) bool { return s.Cell == c.ID })
	if i < 0 {
		return nil // this is the cell with the injected parameters
	}
	return &m.plan.Steps[i]
}

// A caller is a kernel that forwards calls to its process (see Calls).
type caller interface {
	Call(name, in string) (string, error)
}

// Recall decides what happens to a cell before it runs. If the cell has a kept result, Recall adds the result's rows
// and figures to the run, and returns its outputs; the cell does not run. Cells that the plan leaves out, or for which
// it shows the recorded result, do not run either.
func (m *Memory) Recall(k headless.Kernel, c *notebook.Cell) headless.RecalledCell {
	m.turn.end() // in case the last cell failed
	if m.running != "" {
		m.failed = append(m.failed, m.running)
		m.events(k) // drop the events of a failed cell
		m.running = ""
	}
	if m.began == "" {
		m.began = surroundings(k)
	}
	st := m.step(c)
	past := headless.RecalledCell{Skip: st != nil && st.Action == Leave}
	if st != nil && st.Action == Keep {
		past = m.recall(k, st)
	}
	if st != nil && st.Action == Show {
		past = m.show(k, st)
	}
	if !past.Skip {
		m.turn.take(&m.suite.cells, st != nil && st.alone)
		m.running, m.folder = c.ID, ""
		if k, ok := k.(caller); ok && st != nil && st.place != "" {
			m.folder, _ = k.Call(callFolder, st.run) // if the call fails, no figures are found, and nothing is kept
		}
		m.before = marksOf(m.folder)
	}
	return past
}

// recall shows a kept result in place of running the cell: it adds the rows and figures to the run, and returns the
// outputs. If the result cannot be used, recall says why, and the cell runs.
func (m *Memory) recall(k headless.Kernel, st *Step) headless.RecalledCell {
	// Other experiments may have rewritten files that the result depends on.
	if why := usedChanges(m.suite.root, st.entry.Used); len(why) > 0 {
		m.say(fmt.Sprintf("%s also runs: %s\n", st.Target, strings.Join(why, "; ")))
		return headless.RecalledCell{}
	}
	if surroundings(k) != m.began {
		m.say(fmt.Sprintf("%s also runs: %s\n", st.Target, errSurroundings))
		return headless.RecalledCell{}
	}
	err := st.entry.verify()
	var outputs []notebook.Output
	if err == nil {
		outputs, err = st.entry.outputs()
	}
	if k, ok := k.(caller); ok && err == nil {
		_, err = k.Call(callReplay, st.run+"\n"+st.entry.folder)
	}
	if err != nil {
		m.say(fmt.Sprintf("%s runs, because its earlier result cannot be used: %v\n", st.Target, err))
		return headless.RecalledCell{}
	}
	st.entry.touch()
	e := st.entry
	m.took[st.Cell] = CellCost{Seconds: e.Seconds, Processor: e.Processor, Reference: e.Reference, Earlier: true}
	return headless.RecalledCell{Skip: true, Outputs: outputs, Took: e.cost()}
}

// events returns the events that the cells have caused since the last call. It does not return the events that report
// used data sets and files; instead it adds these data sets and files to m.used.
func (m *Memory) events(k headless.Kernel) ([]record.Event, error) {
	asked, ok := k.(caller)
	if !ok {
		return nil, nil
	}
	out, err := asked.Call(callEvents, "")
	if err != nil {
		return nil, err
	}
	var events []record.Event
	if err := json.Unmarshal([]byte(out), &events); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(events, func(e record.Event) bool {
		if e.Used != nil {
			m.use(*e.Used)
		}
		return e.Used != nil
	}), nil
}

// Keep stores the results of a cell that ran without an error.
func (m *Memory) Keep(k headless.Kernel, c *notebook.Cell, took headless.Cost) {
	m.turn.end()
	m.running = ""
	st := m.step(c)
	if st != nil {
		m.took[c.ID] = CellCost{Seconds: seconds(took.Wall), Processor: seconds(took.Processor), Reference: m.opt.Reference}
	}
	if _, ok := k.(caller); !ok {
		return
	}
	events, err := m.events(k)
	if st == nil || st.Target == "" || st.place == "" {
		return
	}
	begin := time.Now().Add(-took.Wall)
	for _, text := range st.stages(m.used, begin) {
		m.say(text + "\n")
	}
	for _, id := range st.needs {
		if err == nil && slices.Contains(m.failed, id) {
			err = fmt.Errorf("the cell %s, which it needs, failed", id)
		}
	}
	if err == nil && surroundings(k) != m.began {
		err = errSurroundings
	}
	if err == nil {
		e := newEntry(st.Target, st.inputs, slices.Clone(m.used), begin, took, m.opt.Reference, events)
		err = m.suite.store.write(st.place, e, c, m.folder, m.before)
	}
	if err != nil {
		m.say(fmt.Sprintf("%s: cannot save its result: %v\n", st.Target, err))
	}
}

// use adds a data set or file on which results may depend from now on. If a file did not exist at first and was
// created later, its present state replaces the earlier one. If a file has changed since it was first used, both
// states are kept, because cells may still hold the old content. A file cannot be in both states at once, so later
// results that depend on both are never reused.
func (m *Memory) use(u record.Dependency) {
	m.used = slices.DeleteFunc(m.used, func(v record.Dependency) bool {
		return v.Kind == u.Kind && v.Name == u.Name && v.File == u.File && (v.State == absent || v.State == u.State)
	})
	m.used = append(m.used, u)
}

// The calls that the process of a kernel answers.
const (
	callEvents = "events" // returns the new events, as JSON
	callReplay = "replay" // replays an entry; the argument has the paper and, in the next line, the folder of the entry
	callFolder = "folder" // returns the folder of a paper's run
	// callSurroundings returns the part of the process's state that cells can change and experiments can see.
	callSurroundings = "surroundings"
)

var errSurroundings = errors.New("an earlier cell has changed its process's environment, folder or settings")

// surroundings asks a kernel's process for a checksum of its surroundings: the state that cells can change and
// experiments can see, such as the environment and the working directory. It returns "unknown" if the process does not
// answer.
func surroundings(k headless.Kernel) string {
	if k, ok := k.(caller); ok {
		if now, err := k.Call(callSurroundings, ""); err == nil {
			return now
		}
	}
	return "unknown"
}

// Calls returns, by name, the functions that a Memory calls in the process that runs the cells. Pass them to
// headless.Serve.
func Calls() map[string]func(in string) (string, error) {
	var mu sync.Mutex
	var heard []record.Event
	runs := map[string]*record.Run{} // the latest of each paper, which a lab in a cell has begun
	record.Listen(func(e record.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Run != nil {
			runs[e.Run.Paper] = e.Run
			return
		}
		heard = append(heard, e)
	})
	runOf := func(paper string) (*record.Run, error) {
		mu.Lock()
		defer mu.Unlock()
		if r := runs[paper]; r != nil {
			return r, nil
		}
		return nil, fmt.Errorf("no lab of %s is open", paper)
	}
	return map[string]func(string) (string, error){
		callEvents: func(string) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			if heard == nil {
				return "[]", nil
			}
			b, err := json.Marshal(heard)
			heard = nil
			return string(b), err
		},
		callFolder: func(paper string) (string, error) {
			run, err := runOf(paper)
			if err != nil {
				return "", err
			}
			return run.Dir(), nil
		},
		callSurroundings: func(string) (string, error) {
			folder, err := os.Getwd()
			environment := os.Environ()
			slices.Sort(environment)
			return hash(environment, folder, runtime.GOMAXPROCS(0), fmt.Sprintf("%T", blas64.Implementation())), err
		},
		callReplay: func(in string) (string, error) {
			paper, folder, _ := strings.Cut(in, "\n")
			run, err := runOf(paper)
			if err != nil {
				return "", err
			}
			b, err := os.ReadFile(filepath.Join(folder, entryName))
			if err != nil {
				return "", err
			}
			var e entry
			if err := json.Unmarshal(b, &e); err != nil {
				return "", err
			}
			return "", run.Replay(e.Events, folder, e.Made)
		},
	}
}
