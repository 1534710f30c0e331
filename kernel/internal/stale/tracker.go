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

// A Session tells a Tracker about the variables of the running session.
type Session interface {
	// TypesOf returns the names of the types that occur in the type of a variable and that cells declare.
	TypesOf(variable string) []string
	// Value returns the value of a variable of a basic type as text. It returns false for other variables, and
	// if the value cannot be read.
	Value(variable string) (string, bool)
}

// A Run describes one run of a cell.
type Run struct {
	ID     string // id of the cell in its notebook, "" if the front end gives none
	Name   string // name of the run: In[3]
	Source string
	Text   *magic.Text // scanned Source, or nil
	At     time.Time   // time at which the run ended
	// Undone is set if no part of the cell ran, because it does not compile or was only formatted.
	// Declarations of an earlier run of the cell remain.
	Undone bool
}

// A Tracker records what the cells of a session read and define, and finds the stale cells. The zero value is ready to
// use.
type Tracker struct {
	cells    []*cell // cells in the order in which they first ran
	byID     map[string]*cell
	bySource map[string]*cell // for each source, the last cell that has this source but no id; byKey is the same for keys
	byKey    map[string]*cell
	now      map[string]*write          // current meanings of names
	byType   map[string]map[string]bool // names of methods (T.M) by type
	writers  map[string][]*cell         // the cells that define a name, in order
	seq      int
	// stale holds the stale cells with their reasons, or is nil if all cells must be checked again. A cell that runs
	// for the first time changes nothing for earlier cells, so the stale cells are kept then.
	stale map[*cell][]Reason
	anew  bool
}

// A cell is what a Tracker knows about one cell of the session, as of the cell's last run.
type cell struct {
	at               int // index in Tracker.cells
	id, name, source string
	key              string   // key of the names that the cell declares; see find
	reads            meanings // meanings read from other cells, or from an earlier run of this cell
	writes           meanings // meanings that the cell's current text gives to names
	gone             bool     // the cell is no longer in the notebook
	undone           bool     // no part of the cell ran the last time; see Run.Undone
}

// A write is a meaning of a name: the definition or value that a cell gave to the name. The field by holds
// this cell. A write is immutable.
type write struct {
	by       *cell
	version  string // equal if and only if the meanings are equal
	at       time.Time
	decl     *lineage.Decl // nil for variables and imports
	variable bool
}

// Ran records one run of a cell. It must be called after the run, because it asks s about the variables that the cell
// has read and set.
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

// know stores in c the name, the text and the key of the cell after a run, and adds c to the maps that the method find
// uses. names is the new key.
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

// ID returns the id of the cell that last ran under a name such as In[3]; it returns "" if there is no such
// cell or if the cell has no id.
func (t *Tracker) ID(name string) string {
	for _, c := range t.cells {
		if c.name == name {
			return c.id
		}
	}
	return ""
}

// Deleted records that the cells with the given ids are no longer in the notebook. What they declared still exists in
// the session.
func (t *Tracker) Deleted(ids []string) {
	for _, id := range ids {
		if c := t.byID[id]; c != nil && !c.gone {
			c.gone, t.anew = true, true
		}
	}
}

// find returns what t knows about the cell that has run, or nil if the cell has not run before. key is the key of the
// names that the cell declares, or "".
func (t *Tracker) find(run Run, key string) *cell {
	if run.ID != "" {
		return t.byID[run.ID]
	}
	if c := t.bySource[run.Source]; c != nil {
		return c
	}
	return t.byKey[key]
}

// key returns the names that a cell declares, as one string. It is used to recognize a cell that has no id. The names
// err and ok do not count, because many cells declare them.
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

// A cellRecorder is the state of a call to Ran.
type cellRecorder struct {
	t       *Tracker
	c       *cell
	text    *lineage.Cell
	run     Run
	session Session
	old     meanings // meanings that the cell's previous run wrote and read
	oldRead meanings
	// assigned holds the variables that are set by functions that the cell calls.
	assigned map[string]bool
}

// write records that the cell gives the meaning w to a name. If the cell's previous run gave the
// name the same meaning, the time at which that run did so is kept.
func (n *cellRecorder) write(name string, w write) {
	w.by, w.at = n.c, n.run.At
	if old := n.old.lookup(name); old != nil && old.version == w.version && old.variable == w.variable {
		w.at = old.at
	}
	n.c.writes.set(name, &w)
	n.t.now[name] = &w
}

// declare records the imports, functions, methods, types and constants that the cell declares.
func (n *cellRecorder) declare() {
	t := n.t
	for i := range n.text.Decls {
		// The text itself is not needed, only a way to tell whether it has changed, so store a hash.
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
			for m := range t.byType[d.Names[0]] { // methods are removed together with their type
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

// read records the names that the cell's statements have read. If such a name is a function or a type, or a variable
// whose type contains types declared by cells, read also records the names that these functions and types read in
// turn.
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
			return // the cell's own statements have set the variable before
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

// note records that the cell has read a name, whose meaning is w. The meaning may come from an
// earlier run of the same cell: n++ continues from the value that the earlier run left.
//
// A cell may set only a part of a variable, as in p.Title = "A plot". If an earlier run of the cell gave the variable
// its meaning, note keeps the meaning that this earlier run had read. Otherwise the cell would seem to depend on its
// own earlier run, although setting the part again gives the same value.
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

// assign records the variables that have been set by the cell or by the functions that it calls.
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

// isVariable reports whether an assigned name is a session variable, not a package or a local variable of a
// function.
func (n *cellRecorder) isVariable(name string) bool {
	w := n.t.now[name]
	return w != nil && w.variable
}

// version returns a string for the current value of a variable. For a basic type the string contains the value. For
// other types it is different after each run that sets the variable.
func (n *cellRecorder) version(name string) string {
	if text, ok := n.session.Value(name); ok {
		return "= " + text
	}
	return "run " + n.t.stamp()
}
