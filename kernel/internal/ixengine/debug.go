package ixengine

import (
	"fmt"
	"go/parser"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"overcomplete/kernel/engine"
)

// The debugger. While a debugger is attached and may have to stop execution somewhere, the functions
// concerned run in debug form (debug_form.go), which can stop at each statement. Cells that run in the
// meantime are built in debug form. Functions of earlier cells are rebuilt in debug form and reached through
// their hooks (debug_concern.go). Other code stops at its stop checks, and its frames show no variables.

// debugState is the debugger state of a session.
type debugState struct {
	now atomic.Pointer[debugger]
	// alert is not 0 while each place must check whether to stop execution.
	alert atomic.Int32
	// panics is an engine.PanicFilter, read at each call.
	panics atomic.Int32
	places places
	// building is locked while a program is built, but not while code of cells or packages runs, because a
	// debugger may stop that code.
	building sync.Mutex
	// The debug forms of declarations, and the debug forms that older code calls. Both are guarded by the mutex called
	// building.
	forms    map[*decl]*decl
	armed    map[string]*armedFunc
	segments sync.Map // frames of calls by compiled code: goroutine id -> *[]*frame
}

// A debugger implements engine.Debug.
type debugger struct {
	s    *Session
	tell func(engine.DebugEvent)

	mu       sync.Mutex
	detached bool
	lastID   int                      // last id of a breakpoint or a frame
	points   map[string][]*breakpoint // keyed by source
	filter   engine.PanicFilter
	stepIn   map[string]bool // functions that a step may enter
	step     *step
	pausing  bool // a pause was requested, but has not been reported yet
	held     *hold
	parked   map[*thread]bool
	busy     map[uint64]int // goroutines that evaluate a condition
	seen     map[uint64]seenPanic
	raised   bool // the stop flag is raised for this debugger
}

// A breakpoint is an engine.Breakpoint that is set in a debugger, with its place in the source and its compiled
// expressions.
type breakpoint struct {
	engine.Breakpoint
	id      int
	offset  int    // offset of the statement in its source
	fn      string // the declaration that contains it, named as in decl.names; "" for the cell's statements
	isValid bool
	hits    int
	mu      sync.Mutex
	code    map[*site][]*compiledExpr // code of the condition and of the expressions in the log text
}

// Attach attaches a debugger; see engine.Debugger.
func (s *Session) Attach(tell func(engine.DebugEvent)) engine.Debug {
	d := &debugger{s: s, tell: tell, points: map[string][]*breakpoint{}, stepIn: map[string]bool{},
		parked: map[*thread]bool{}, busy: map[uint64]int{}, seen: map[uint64]seenPanic{}}
	if old := s.debug.now.Load(); old != nil {
		old.Detach()
	}
	s.debug.now.Store(d)
	return d
}

// Detach ends debugging; see engine.Debug.
func (d *debugger) Detach() {
	d.mu.Lock()
	if d.detached {
		d.mu.Unlock()
		return
	}
	d.detached = true
	d.points, d.filter, d.stepIn = map[string][]*breakpoint{}, engine.NoPanics, map[string]bool{}
	d.s.debug.panics.Store(0)
	d.step, d.pausing = nil, false
	if d.held != nil {
		d.letGo()
		d.release(0)
	}
	d.update()
	d.mu.Unlock()
	d.s.debug.arm(func(*place) bool { return false })
	d.s.rearm(d)
	d.s.debug.now.CompareAndSwap(d, nil)
}

// wants reports whether there is a breakpoint at p. The caller must not hold mu.
func (d *debugger) wants(p *place) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.points[p.source], func(b *breakpoint) bool { return b.isValid && b.offset == p.offset })
}

// SetBreakpoints replaces the breakpoints of a source; see engine.Debug.
func (d *debugger) SetBreakpoints(source string, list []engine.Breakpoint) []engine.SetBreakpoint {
	out := make([]engine.SetBreakpoint, len(list))
	lines := d.s.linesOf(source)
	d.mu.Lock()
	if d.detached {
		d.mu.Unlock()
		for i := range out {
			out[i].Message = "the debugger is detached"
		}
		return out
	}
	old := d.points[source]
	var points []*breakpoint
	for i, b := range list {
		p := d.breakpoint(b, lines)
		at := slices.IndexFunc(old, func(o *breakpoint) bool { return o.Breakpoint == b && o.offset == p.offset })
		switch {
		case p.isValid && at >= 0:
			p = old[at] // keeps its hit count
			old = slices.Delete(slices.Clone(old), at, at+1)
		default:
			d.lastID++
			p.id = d.lastID
		}
		out[i].ID = p.id
		if p.isValid {
			line, _ := lines.statementAt(b.Line)
			out[i].Line = line.line
			points = append(points, p)
		} else {
			out[i].Message = p.Log
		}
	}
	if d.points[source] = points; len(points) == 0 {
		delete(d.points, source)
	}
	d.mu.Unlock()
	d.s.debug.arm(d.wants)
	faults := d.s.rearm(d)
	for i := range out {
		if text := faults[source]; text != "" && out[i].Line > 0 && out[i].Message == "" {
			out[i].Message = text
		}
	}
	return out
}

// breakpoint returns the debugger's breakpoint for b. If b is not valid, the Log of the result says why.
func (d *debugger) breakpoint(b engine.Breakpoint, lines *sourceLines) *breakpoint {
	p := &breakpoint{Breakpoint: b, code: map[*site][]*compiledExpr{}}
	bad := func(format string, args ...any) *breakpoint {
		p.Log = fmt.Sprintf(format, args...)
		return p
	}
	at, ok := lines.statementAt(b.Line)
	switch {
	case lines.fault != "":
		return bad("the cell does not parse: %s", lines.fault)
	case !ok:
		return bad("there is no statement in or below line %d", b.Line)
	}
	if b.Condition != "" {
		if _, err := parser.ParseExpr(b.Condition); err != nil {
			return bad("the condition does not parse: %s", strings.TrimPrefix(err.Error(), "1:"))
		}
	}
	if _, err := logParts(b.Log); err != nil {
		return bad("%v", err)
	}
	p.offset, p.fn, p.isValid = at.offset, at.fn, true
	return p
}

// SetPanics selects the panics at which execution stops; see engine.Debug.
func (d *debugger) SetPanics(filter engine.PanicFilter) {
	d.mu.Lock()
	if d.detached {
		d.mu.Unlock()
		return
	}
	d.filter = filter
	d.s.debug.panics.Store(int32(filter))
	d.mu.Unlock()
	d.s.rearm(d)
}

// cellEnded sends the event that the cell of g has ended.
func (d *debugger) cellEnded(g *goroutine) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.detached {
		return
	}
	d.tell(engine.DebugEvent{Reason: "ended", Goroutine: g.id})
}
