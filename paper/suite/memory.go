package suite

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// A Memory goes through one run of a notebook: it is the headless.Memory that lets cells be
// skipped whose results are kept, and keeps those of others.
type Memory struct {
	suite *Suite
	paper string
	opt   Options
	say   func(text string)

	plan *Plan
	used []record.Used // in this session
}

// Memory is for one run of a notebook. say is told what runs and why, and what
// could not be kept; it may be nil.
func (s *Suite) Memory(path string, opt Options, say func(text string)) *Memory {
	if say == nil {
		say = func(string) {}
	}
	return &Memory{suite: s, paper: paperOf(path), opt: opt, say: say}
}

func paperOf(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// Begin makes the plan.
func (m *Memory) Begin(nb *notebook.Notebook, set []headless.Assignment) error {
	p, err := m.suite.Plan(nb, m.paper, set, m.opt)
	if p == nil {
		return err
	}
	if err != nil {
		m.say(fmt.Sprintf("%s: %v\n", m.paper, err))
	}
	m.plan = p
	m.say(p.Summary())
	return nil
}

func (m *Memory) step(c *notebook.Cell) *Step {
	i := slices.IndexFunc(m.plan.Steps, func(s Step) bool { return s.Cell == c.ID })
	if i < 0 {
		return nil // the cell in which parameters are set
	}
	return &m.plan.Steps[i]
}

// A caller is a kernel whose process answers calls (see Calls).
type caller interface {
	Call(name, in string) (string, error)
}

// Recall is asked before a cell runs.
func (m *Memory) Recall(k headless.Kernel, c *notebook.Cell) headless.Recalled {
	st := m.step(c)
	if st == nil || st.Action == Run {
		return headless.Recalled{}
	}
	if st.Action == Leave {
		return headless.Recalled{Skip: true}
	}
	outputs, err := st.entry.outputs()
	if k, ok := k.(caller); ok && err == nil {
		_, err = k.Call(callReplay, st.entry.folder)
	}
	if err != nil {
		m.say(fmt.Sprintf("%s runs, for what is kept of it cannot be used: %v\n", st.Target, err))
		return headless.Recalled{}
	}
	st.entry.touch()
	return headless.Recalled{Skip: true, Outputs: outputs, Seconds: st.entry.Seconds}
}

// Keep is told that a cell ran without a fault.
func (m *Memory) Keep(k headless.Kernel, c *notebook.Cell, took time.Duration) {
	asked, ok := k.(caller)
	if !ok {
		return
	}
	out, err := asked.Call(callEvents, "")
	if err != nil {
		return // a program without runs
	}
	var events []record.Event
	if err := json.Unmarshal([]byte(out), &events); err != nil {
		m.say(fmt.Sprintf("%s: what the cell gave cannot be kept: %v\n", c.ID, err))
		return
	}
	events = slices.DeleteFunc(events, func(e record.Event) bool {
		if e.Used != nil {
			m.use(*e.Used)
		}
		return e.Used != nil
	})
	st := m.step(c)
	if st == nil || st.Target == "" || st.place == "" {
		return
	}
	made := record.Program()
	made.Started = time.Now().Add(-took).UTC().Format(time.RFC3339)
	made.Seconds = float64(took.Milliseconds()) / 1000
	e := &entry{Target: st.Target, Inputs: st.inputs, Used: slices.Clone(m.used), Made: made, Seconds: made.Seconds, Events: events}
	if err := m.suite.store.write(st.place, e, c, filepath.Join(m.suite.root, "figures", "run", m.paper)); err != nil {
		m.say(fmt.Sprintf("%s: its result cannot be kept: %v\n", st.Target, err))
	}
}

// use adds something that results may depend on from now on.
func (m *Memory) use(u record.Used) {
	i := slices.IndexFunc(m.used, func(v record.Used) bool { return v.Kind == u.Kind && v.Name == u.Name && v.File == u.File })
	if i < 0 {
		m.used = append(m.used, u)
		return
	}
	m.used[i].State = u.State // a file that was made since
}

// The calls that the process of a kernel answers.
const (
	callEvents = "events" // gives what runs were told since the last time, as JSON
	callReplay = "replay" // plays what an entry has, whose folder is given
)

// Calls are for the process in which cells run: headless.Serve is to answer them.
func Calls() map[string]func(in string) (string, error) {
	var mu sync.Mutex
	var heard []record.Event
	record.Listen(func(e record.Event) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, e)
	})
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
		callReplay: func(folder string) (string, error) {
			b, err := os.ReadFile(filepath.Join(folder, entryName))
			if err != nil {
				return "", err
			}
			var e entry
			if err := json.Unmarshal(b, &e); err != nil {
				return "", err
			}
			return "", record.Replay(e.Events, folder, e.Made)
		},
	}
}
