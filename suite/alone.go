package suite

import (
	"path/filepath"
	"sync"

	"overcomplete/paper/record"
)

// A turn is the permission for one cell to run, when several notebooks run at once. A cell that measures times uses
// the machine exclusively during its turn. The zero value holds no lock.
type turn struct{ leave func() }

// take waits until a cell may run, and takes the turn. If alone is set, no other cell runs during the turn. Otherwise
// other cells that do not need exclusive use may run at the same time.
func (t *turn) take(all *sync.RWMutex, alone bool) {
	t.end()
	if alone {
		all.Lock()
		t.leave = all.Unlock
	} else {
		all.RLock()
		t.leave = all.RUnlock
	}
}

// end ends the turn, if there is one.
func (t *turn) end() {
	if t.leave != nil {
		t.leave()
	}
	t.leave = nil
}

// runsAlone reports whether a cell measures times, and so needs the machine to itself. A cell measures times if it
// reads the clock, or calls an experiment for which a record contains times.
func (s *Suite) runsAlone(c *cell) bool {
	if clock := c.selected["time"]; clock["Now"] || clock["Since"] || clock["Until"] {
		return true
	}
	if !c.isExperiment() {
		return false
	}
	for _, m := range c.methods {
		if s.timed()[methodName(c.lab.pkg, m)] {
			return true
		}
	}
	return false
}

// timedExperiments returns the experiments whose records contain times, by name: "paper/s3c2011.Lab.Scaling".
func timedExperiments(root string) map[string]bool {
	timed := map[string]bool{}
	records, _ := filepath.Glob(filepath.Join(root, "figures", "*", record.FileName))
	for _, name := range records {
		res, err := record.Read(name)
		if err != nil { // the page that shows the record reports the error
			continue
		}
		for _, r := range res.Rows {
			if r.Data.Timed() {
				timed[r.Origin.Experiment] = true
			}
		}
		for _, f := range res.Figures {
			if f.Timed {
				timed[f.Origin.Experiment] = true
			}
		}
	}
	return timed
}
