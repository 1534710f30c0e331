package stale

import (
	"crypto/sha256"
	"go/token"
	"maps"
	"slices"
	"strings"
	"time"

	"overcomplete/kernel/lineage"
	"overcomplete/kernel/magic"
)

// A Session is what a Tracker needs from the session after a cell has run.
type Session interface {
	// TypesOf returns the types of cells in the type of a variable.
	TypesOf(variable string) []string
	// Value returns the value of a variable of a basic type as text. It returns false for other variables, and
	// if the value cannot be read.
	Value(variable string) (string, bool)
}

// A Run is a cell that has run.
type Run struct {
	ID     string // of the cell in its notebook, "" if the front end gives none
	Name   string // In[3]
	Source string
	Text   *magic.Text // scanned Source, if already scanned
	At     time.Time   // when it ended
	// Undone is set if none of the cell ran, because it does not compile or was only formatted. The
	// declarations of an earlier run of the cell remain.
	Undone bool
}

// A Tracker tracks the cells of a session. The zero value knows none.
type Tracker struct {
	cells    []*cell // in the order in which they first ran
	byID     map[string]*cell
	bySource map[string]*cell // cells without an id: the last one with a text, and the last one with a key
	byKey    map[string]*cell
	now      map[string]*write          // current meanings of names
	byType   map[string]map[string]bool // names of methods (T.M) by type
	writers  map[string][]*cell         // the cells that define a name, in order
	seq      int
	// stale holds the reasons of stale cells, or nil if everything must be checked again: a cell that runs for
	// the first time changes nothing for those before it.
	stale map[*cell][]Reason
	anew  bool
}

// A cell is the state of a cell at its last run.
type cell struct {
	at               int // in Tracker.cells
	id, name, source string
	key              string   // names that it declares; see find
	reads            meanings // meanings read from other cells, or from an earlier run of its own
	writes           meanings // meanings that its current text gives to names
	gone             bool     // no longer in the notebook
	undone           bool     // its output is not that of a run
}

// A write gives a name a meaning. It is immutable.
type write struct {
	by       *cell
	version  string // equal for equal meanings
	at       time.Time
	decl     *lineage.Decl // nil for variables and imports
	variable bool
}

// Ran records a cell that has run.
func (t *Tracker) Ran(run Run, s Session) {
	if t.now == nil {
		t.byID, t.bySource, t.byKey = map[string]*cell{}, map[string]*cell{}, map[string]*cell{}
		t.now, t.byType, t.writers = map[string]*write{}, map[string]map[string]bool{}, map[string][]*cell{}
		t.stale = map[*cell][]Reason{}
	}
	t.seq++
	if run.Text == nil {
		run.Text = magic.Read(run.Source)
	}
	text, err := lineage.ReadText(run.Text)
	if err != nil || run.Undone {
		if c := t.find(run, ""); c != nil {
			c.undone, c.gone, c.name, t.anew = true, false, run.Name, true
		}
		return
	}
	names := key(text)
	c := t.find(run, names)
	if c == nil {
		c = &cell{at: len(t.cells), id: run.ID}
		t.cells = append(t.cells, c)
	} else {
		t.anew = true
	}
	t.know(c, run, names)
	n := &cellRecorder{t: t, c: c, text: text, run: run, session: s, old: c.writes, oldRead: c.reads}
	c.writes = nil
	n.declare()
	n.read()
	n.assign()
	for _, w := range n.old {
		if c.writes.lookup(w.name) == nil {
			t.writers[w.name] = slices.DeleteFunc(t.writers[w.name], func(x *cell) bool { return x == c })
		}
	}
	for _, w := range c.writes {
		list := t.writers[w.name]
		if i, found := slices.BinarySearchFunc(list, c.at, func(x *cell, at int) int { return x.at - at }); !found {
			t.writers[w.name] = slices.Insert(list, i, c)
		}
	}
	if !t.anew {
		t.look(c)
	}
}

// know records how the cell can be found again.
func (t *Tracker) know(c *cell, run Run, names string) {
	if c.id == "" && t.bySource[c.source] == c {
		delete(t.bySource, c.source)
	}
	if c.id == "" && t.byKey[c.key] == c {
		delete(t.byKey, c.key)
	}
	c.name, c.source, c.key, c.gone, c.undone = run.Name, run.Source, names, false, false
	switch {
	case c.id != "":
		t.byID[c.id] = c
		return
	case names != "":
		t.byKey[names] = c
	}
	t.bySource[run.Source] = c
}

// ID returns the id of the cell that last ran under a name such as In[3]; "" if there is none or it has no id.
func (t *Tracker) ID(name string) string {
	for _, c := range t.cells {
		if c.name == name {
			return c.id
		}
	}
	return ""
}

// Deleted records that cells are no longer in the notebook. Their declarations remain.
func (t *Tracker) Deleted(ids []string) {
	for _, id := range ids {
		if c := t.byID[id]; c != nil && !c.gone {
			c.gone, t.anew = true, true
		}
	}
}

// find returns the earlier run of a cell, or nil if there is none. key is that of the cell's text, "" if it
// has none.
func (t *Tracker) find(run Run, key string) *cell {
	if run.ID != "" {
		return t.byID[run.ID]
	}
	if c := t.bySource[run.Source]; c != nil {
		return c
	}
	return t.byKey[key]
}

// key returns a key of the names that a cell declares, except names that many cells declare.
func key(text *lineage.Cell) string {
	var names []string
	for _, d := range text.Decls {
		names = append(names, d.Names...)
	}
	for _, v := range text.Variables {
		if v.Name != "err" && v.Name != "ok" {
			names = append(names, v.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// A cellRecorder is the state of Ran for one cell.
type cellRecorder struct {
	t       *Tracker
	c       *cell
	text    *lineage.Cell
	run     Run
	session Session
	old     meanings // writes and reads of the cell's previous run
	oldRead meanings
	// assigned holds the variables that functions called by the cell assign to.
	assigned map[string]bool
}

// write sets the meaning of a name. If the cell gave it the same meaning before, the time stays too.
func (n *cellRecorder) write(name string, w write) {
	w.by, w.at = n.c, n.run.At
	if old := n.old.lookup(name); old != nil && old.version == w.version && old.variable == w.variable {
		w.at = old.at
	}
	n.c.writes.set(name, &w)
	n.t.now[name] = &w
}

// declare records imports, functions, methods, types and constants.
func (n *cellRecorder) declare() {
	t := n.t
	for i := range n.text.Decls {
		// The text itself is not needed, only whether it is the same.
		d := &n.text.Decls[i]
		sum := sha256.Sum256([]byte(d.Text))
		d.Text = string(sum[:])
	}
	for _, i := range n.text.Imports {
		if names := i.Names(); len(names) > 0 {
			n.write(names[0], write{version: "import " + i.Path})
		}
	}
	for i := range n.text.Decls {
		d := &n.text.Decls[i]
		if d.Kind != token.TYPE {
			continue
		}
		if old := t.now[d.Names[0]]; old == nil || old.version != d.Text {
			for m := range t.byType[d.Names[0]] { // methods are removed with their type
				delete(t.now, m)
			}
			delete(t.byType, d.Names[0])
		}
	}
	for i := range n.text.Decls {
		d := &n.text.Decls[i]
		for _, name := range d.Names {
			if name == "_" {
				continue
			}
			if d.Type != "" {
				if t.byType[d.Type] == nil {
					t.byType[d.Type] = map[string]bool{}
				}
				t.byType[d.Type][name] = true
			}
			n.write(name, write{version: d.Text, decl: d})
		}
	}
}

// read records the names that the cell's statements have read, and those that the mentioned functions and
// types read.
func (n *cellRecorder) read() {
	n.c.reads, n.assigned = nil, map[string]bool{}
	own := map[string]bool{}
	for _, v := range n.text.Variables {
		own[v.Name] = true
	}
	for name := range n.text.Statements.Assigns {
		own[name] = true
	}
	seen := map[string]bool{}
	var follow func(name string, direct bool)
	follow = func(name string, direct bool) {
		w := n.t.now[name]
		if w == nil || seen[name] || !direct && own[name] {
			return // the cell's own statements have set it
		}
		seen[name] = true
		n.note(name, w)
		if w.variable {
			for _, typ := range n.session.TypesOf(name) {
				follow(typ, false)
			}
		}
		if w.decl == nil {
			return
		}
		for ref := range w.decl.Reads {
			follow(ref, false)
		}
		for ref := range w.decl.Assigns {
			n.assigned[ref] = true
		}
		if w.decl.Kind == token.TYPE {
			for m := range n.t.byType[name] {
				follow(m, false)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.text.Statements.Reads)) {
		follow(name, true)
	}
}

// note records that the cell has read a name. That includes a variable that the cell itself set in an
// earlier run: n++ continues from its value. But setting the same part of it again, as in p.Title = "A
// plot", makes no difference.
func (n *cellRecorder) note(name string, w *write) {
	if w.by == n.c {
		if !w.variable {
			return
		}
		if _, sets := n.text.Statements.Assigns[name]; sets && !n.text.Statements.Whole[name] && n.oldRead.lookup(name) != nil {
			w = n.oldRead.lookup(name)
		}
	}
	n.c.reads.set(name, w)
}

// assign records the variables that the cell has set.
func (n *cellRecorder) assign() {
	set := map[string]bool{}
	for _, v := range n.text.Variables {
		set[v.Name] = true
	}
	for name := range n.text.Statements.Assigns {
		set[name] = set[name] || n.isVariable(name)
	}
	for name := range n.assigned {
		set[name] = set[name] || n.isVariable(name)
	}
	for name, is := range set {
		if is {
			n.write(name, write{version: n.version(name), variable: true})
		}
	}
}

// isVariable reports whether an assigned name is a session variable, rather than a package or a local variable
// of a function.
func (n *cellRecorder) isVariable(name string) bool {
	w := n.t.now[name]
	return w != nil && w.variable
}

// version returns a text that stays the same until the variable is changed.
func (n *cellRecorder) version(name string) string {
	if text, ok := n.session.Value(name); ok {
		return "= " + text
	}
	return "run " + n.t.stamp()
}
