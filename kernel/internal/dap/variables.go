package dap

import (
	"errors"
	"fmt"
	"maps"

	"overcomplete/kernel/engine"
)

// A reference stands for a list of variables that a front end can request, such as the variables of a scope or the
// fields of a struct.
type reference struct {
	load   func() (container, error) // loads the variables; nil if inside is set
	inside container
	frame  engine.FrameID // frame for evaluations
	// session is set if the reference belongs to the session, not to a stop.
	session bool
}

// A table gives numbers to references. Front ends receive the number of a reference, and ask for its variables with
// this number. Numbers are not reused.
type table struct {
	next    int
	entries map[int]*reference
}

// add adds a reference and returns its number.
func (t *table) add(r *reference) int {
	if t.entries == nil {
		t.entries = map[int]*reference{}
	}
	t.next++
	t.entries[t.next] = r
	return t.next
}

// dropHeld drops the references that belong to a stop.
func (t *table) dropHeld() {
	maps.DeleteFunc(t.entries, func(_ int, r *reference) bool { return !r.session })
}

// dropSession drops the references that belong to the session.
func (t *table) dropSession() {
	maps.DeleteFunc(t.entries, func(_ int, r *reference) bool { return r.session })
}

// scopes lists the scopes of a frame. JupyterLab shows the first scope, and treats the scope called Globals
// as the scope of the session.
func (a *Adapter) scopes(r request) (object, error) {
	var args struct {
		Frame int `json:"frameId"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	d, err := a.attached()
	if err != nil {
		return nil, err
	}
	frame, err := a.frame(args.Frame)
	if err != nil {
		return nil, err
	}
	list := []object{}
	add := func(name, hint string, load func() (container, error)) {
		a.mu.Lock()
		defer a.mu.Unlock()
		n := a.table.add(&reference{load: load, frame: frame})
		list = append(list, object{"name": name, "presentationHint": hint, "variablesReference": n, "expensive": false})
	}
	if frame != 0 {
		add("Locals", "locals", func() (container, error) {
			vars, err := d.Locals(frame)
			return listed(vars), err
		})
	}
	add("Globals", "globals", func() (container, error) {
		vars, release, err := d.Globals()
		if err != nil {
			return nil, err
		}
		release()
		return listed(vars), nil
	})
	return object{"scopes": list}, nil
}

func listed(vars []engine.DebugVariable) list {
	l := make(list, len(vars))
	for i, v := range vars {
		l[i] = newVariable(v)
	}
	return l
}

// reference returns the reference with number n, or an error if it is no longer valid.
func (a *Adapter) reference(n int) (*reference, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.table.entries[n]
	if r == nil {
		return nil, errGone
	}
	return r, nil
}

// errRunning is the answer to a request for session variables to which running code may be writing.
var errRunning = errors.New("code of cells is running: ask again when it has stopped or ended")

// reading calls f, which reads values. If no code from cells is running, reading keeps such code from continuing
// until f returns.
//
// If code from cells is running, the parameter session decides. If session is true, f reads variables of the session,
// to which that code may be writing, so the result is errRunning and f is not called. If session is false, f reads
// values of a stop or of an evaluation, and is called.
func (a *Adapter) reading(d engine.Debug, session bool, f func()) error {
	_, release, err := d.Globals()
	switch {
	case err == nil:
		defer release()
	case session && errors.Is(err, engine.ErrNotHeld):
		return errRunning
	case session:
		return err
	}
	f()
	return nil
}

// open returns the container for which r stands, and loads it on first use.
func (r *reference) open() (container, error) {
	if r.inside == nil {
		c, err := r.load()
		if err != nil {
			return nil, err
		}
		r.inside = c
	}
	return r.inside, nil
}

func (a *Adapter) variables(r request) (object, error) {
	var args struct {
		Reference int    `json:"variablesReference"`
		Filter    string `json:"filter"`
		Start     int    `json:"start"`
		Count     int    `json:"count"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	ref, err := a.reference(args.Reference)
	if err != nil {
		return nil, err
	}
	var shown []object
	err = a.withDebug(func(d engine.Debug) error {
		c, err := ref.open()
		if err != nil {
			return err
		}
		return a.reading(d, ref.session, func() {
			var vars []variable
			if args.Filter != "" || args.Start > 0 || args.Count > 0 {
				vars = page(c, args.Filter, args.Start, args.Count)
			} else if l, ok := c.(list); ok && len(l) <= maxPage {
				vars = l // a scope, in which users look for names, so it is not grouped
			} else {
				vars = grouped(c)
			}
			shown = a.show(vars, ref)
		})
	})
	if err != nil {
		return nil, err
	}
	return object{"variables": shown}, nil
}

// show returns vars in the protocol's form, with references to their contents. The new references get their frame from
// the given reference. If that reference belongs to the session, so do the new references; otherwise they belong to the
// current stop.
func (a *Adapter) show(vars []variable, like *reference) []object {
	shown := make([]object, len(vars))
	for i, x := range vars {
		m := a.described(x, like)
		m["name"] = x.name
		if x.eval != "" {
			m["evaluateName"] = x.eval
		}
		shown[i] = m
	}
	return shown
}

// described returns the fields of the protocol that describe x: its value, its type, and a reference to its contents.
// The parameter like has the same meaning as in Adapter.show.
func (a *Adapter) described(x variable, like *reference) object {
	value, c := x.value(), x.children()
	m := object{"value": value, "variablesReference": 0}
	a.mu.Lock()
	defer a.mu.Unlock()
	if x.typ != "" {
		m["type"] = x.typ
		if a.client == jupyterLab {
			// JupyterLab's tree shows the type in place of the value, except for Python's numbers and strings.
			m["type"] = x.typ + " = " + value
		}
	}
	if c != nil {
		m["variablesReference"] = a.table.add(&reference{inside: c, frame: like.frame, session: like.session})
		named, indexed := c.count()
		if named > 0 {
			m["namedVariables"] = named
		}
		if indexed > 0 {
			m["indexedVariables"] = indexed
		}
	}
	return m
}

// pageSize is the maximum number of variables in a reply to a front end that does not ask for pages, such as
// JupyterLab; maxPage is the maximum for a front end that asks for pages.
const (
	pageSize = 100
	maxPage  = 10_000
)

// page returns children of c, from the given index on, but no more than count. If filter is "named", only the named
// children are counted and returned; if it is "indexed", only the indexed children. If count is not between 1 and
// maxPage, the limit is maxPage.
func page(c container, filter string, start, count int) []variable {
	named, indexed := c.count()
	lo, hi := 0, named+indexed
	switch filter {
	case "named":
		hi = named
	case "indexed":
		lo = named
	}
	lo = min(lo+max(start, 0), hi)
	if count <= 0 || count > maxPage {
		count = maxPage
	}
	hi = min(lo+count, hi)
	return children(c, lo, hi)
}

func children(c container, lo, hi int) []variable {
	list := make([]variable, 0, hi-lo)
	for i := lo; i < hi; i++ {
		list = append(list, c.child(i))
	}
	return list
}

// grouped returns the children of c. If there are more than pageSize, it returns at most pageSize ranges instead,
// which hold the children.
func grouped(c container) []variable {
	if r, ok := c.(span); ok {
		return r.grouped()
	}
	named, indexed := c.count()
	return span{c, 0, named + indexed}.grouped()
}

// A span is a range of the children of a container.
type span struct {
	container
	lo, hi int
}

func (s span) count() (int, int)    { return 0, s.hi - s.lo }
func (s span) child(i int) variable { return s.container.child(s.lo + i) }

func (s span) grouped() []variable {
	n := s.hi - s.lo
	if n <= pageSize {
		return children(s.container, s.lo, s.hi)
	}
	step := 1
	for (n+step-1)/step > pageSize {
		step *= pageSize
	}
	var list []variable
	for lo := s.lo; lo < s.hi; lo += step {
		hi := min(lo+step, s.hi)
		list = append(list, variable{name: fmt.Sprintf("[%d…%d]", lo, hi-1), inner: span{s.container, lo, hi}})
	}
	return list
}
