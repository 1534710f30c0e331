package stale

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Cell is a stale cell.
type Cell struct {
	ID      string   `json:"id"`   // id of the cell in its notebook, "" if the front end gives none
	Name    string   `json:"cell"` // name of its last run: In[3]
	Source  string   `json:"-"`
	Reasons []Reason `json:"because"` // sorted by name
	at      int
}

// A Reason is a reason why a cell is stale.
type Reason struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"` // a name that the cell uses; T.M for a method
	// ID and By identify the cell to which the reason refers; "" if there is no such cell.
	ID string `json:"id"`
	By string `json:"by"`
	// Was is set if Kind is Other. It is the cell that defined the name when the stale cell ran; "" means an
	// earlier run of the cell itself.
	Was string `json:"was,omitempty"`
	// Since is the time at which the cell By gave the name its current meaning.
	Since time.Time `json:"since,omitzero"`
}

// A Kind is a kind of reason.
type Kind string

// The kinds of reasons.
const (
	Changed Kind = "changed" // the cell By has redefined the name since
	Other   Kind = "other"   // the cell By, above the stale cell, defines the name, but the stale cell ran with another definition
	Removed Kind = "removed" // the cell By no longer defines the name, and no other cell above defines it
	Deleted Kind = "deleted" // the cell By, which defined the name, is no longer in the notebook
	Input   Kind = "input"   // the cell By, which defined the name, is stale itself
)

// String returns the reason in words.
func (r Reason) String() string {
	switch r.Kind {
	case Changed:
		return fmt.Sprintf("%s has changed: %s, %s", r.Name, r.By, r.Since.Format(time.TimeOnly))
	case Other:
		was := r.Was
		if was == "" {
			was = "an earlier run of the cell"
		}
		return fmt.Sprintf("%s had the value that %s left, not the value from %s above", r.Name, was, r.By)
	case Removed:
		return fmt.Sprintf("%s is no longer in %s", r.Name, r.By)
	case Deleted:
		return fmt.Sprintf("%s comes from %s, which is no longer in the notebook", r.Name, r.By)
	}
	return fmt.Sprintf("%s comes from %s, which is stale", r.Name, r.By)
}

// stamp returns a string that is different for each run.
func (t *Tracker) stamp() string { return strconv.Itoa(t.seq) }

// Stale returns the stale cells, in the order in which the cells first ran. It leaves out cells whose last run did
// nothing; see Run.Undone.
func (t *Tracker) Stale() []Cell {
	if t.anew {
		t.anew = false
		clear(t.stale)
		for _, c := range t.cells {
			t.look(c)
		}
	}
	var list []Cell
	for c, reasons := range t.stale {
		if c.undone {
			continue // the cell shows an error, but names that other cells read from its last run are stale
		}
		list = append(list, Cell{ID: c.id, Name: c.name, Source: c.source, Reasons: reasons, at: c.at})
	}
	slices.SortFunc(list, func(a, b Cell) int { return a.at - b.at })
	return list
}

// look determines whether c is stale. If so, it adds c to t.stale, with the reasons. A caller must look at the cells
// above c first.
func (t *Tracker) look(c *cell) {
	if c.gone {
		return
	}
	var reasons []Reason
	for _, read := range c.reads {
		if r, is := t.reason(c, read.name, read.write); is {
			reasons = append(reasons, r)
		}
	}
	if len(reasons) > 0 {
		slices.SortFunc(reasons, func(a, b Reason) int { return strings.Compare(a.Name, b.Name) })
		t.stale[c] = reasons
	}
}

// reason reports whether the cell c is stale because it has read the given name, and returns the Reason. The parameter
// read is the meaning that the name had when c read it.
func (t *Tracker) reason(c *cell, name string, read *write) (Reason, bool) {
	because := func(kind Kind, by *cell, since time.Time) (Reason, bool) {
		return Reason{Kind: kind, Name: name, ID: by.id, By: by.name, Since: since}, true
	}
	above := t.above(c, name)
	switch {
	case above == nil && read.by == c:
		return Reason{}, false
	case above == nil && read.by.gone:
		return because(Deleted, read.by, time.Time{})
	case above == nil && read.by.writes.lookup(name) == nil:
		return because(Removed, read.by, time.Time{})
	case above == nil: // read.by first ran after this cell, but may well be above it in the notebook
		above = read.by
	}
	now := above.writes.lookup(name)
	switch {
	case now.version != read.version && (read.by == above || read.by.at < c.at && read.by.at < above.at):
		return because(Changed, above, now.at)
	case now.version != read.version:
		r, is := because(Other, above, time.Time{})
		if read.by != c {
			r.Was = read.by.name
		}
		return r, is
	case t.stale[above] != nil && now.variable:
		return because(Input, above, time.Time{})
	}
	return Reason{}, false
}

// above returns the last cell above c that defines a name and is still in the notebook, or nil if there is no such
// cell.
func (t *Tracker) above(c *cell, name string) *cell {
	list := t.writers[name]
	i, _ := slices.BinarySearchFunc(list, c.at, func(x *cell, at int) int { return x.at - at })
	for _, x := range slices.Backward(list[:i]) {
		if !x.gone {
			return x
		}
	}
	return nil
}

// Title returns the cell's name and the beginning of its first line of code.
func (c Cell) Title() string {
	for line := range strings.Lines(c.Source) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		if r := []rune(line); len(r) > 40 {
			line = string(r[:40]) + "…"
		}
		return c.Name + " " + line
	}
	return c.Name
}
