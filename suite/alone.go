package suite

import (
	"path/filepath"
	"sync"

	"overcomplete/paper/record"
)

// A turn keeps others from running beside what measures times, where several notebooks run at once. The zero value is
// nobody's turn.
type turn struct{ leave func() }

// take waits until a cell may run: alone, or beside others that are not alone.
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

// end ends the turn, if it is one.
func (t *turn) end() {
	if t.leave != nil {
		t.leave()
	}
	t.leave = nil
}

// alone reports whether a cell measures times: it reads the clock itself, or the record has times of the experiment.
func (s *Suite) alone(c *cell) bool {
	if clock := c.selected["time"]; clock["Now"] || clock["Since"] || clock["Until"] {
		return true
	}
	if !c.experiment() {
		return false
	}
	for _, m := range c.methods {
		if s.timed()[method(c.lab.pkg, m)] {
			return true
		}
	}
	return false
}

// timedIn returns the experiments of which the records of a project have times: "paper/s3c2011.Lab.Scaling".
func timedIn(root string) map[string]bool {
	timed := map[string]bool{}
	records, _ := filepath.Glob(filepath.Join(root, "figures", "*", record.FileName))
	for _, name := range records {
		res, err := record.Read(name)
		if err != nil { // whoever shows it says so
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
