package ixengine

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/visualfc/gid"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/callers"
)

// A heldFrame is a frame of a stopped goroutine that has variables to show.
type heldFrame struct {
	fr   *frame
	site *site
}

// enterSegment records that compiled code calls a function of a cell, and that root is the caller of that function. The
// returned function removes the record.
func (d *debugState) enterSegment(root *frame) (leave func()) {
	id := gid.Get()
	v, _ := d.segments.LoadOrStore(id, new([]*frame))
	list := v.(*[]*frame)
	*list = append(*list, root)
	return func() {
		if *list = (*list)[:len(*list)-1]; len(*list) == 0 {
			d.segments.Delete(id)
		}
	}
}

// calls returns the frames of the goroutine t, innermost first. If compiled code has called functions of cells, the
// frames on both sides of the compiled code are included. The caller must run in t itself, or t must be stopped.
func (s *Session) calls(t *thread) (list []*frame) {
	var segments []*frame
	if v, ok := s.debug.segments.Load(t.gid); ok {
		segments = *v.(*[]*frame)
	}
	fr := t.fr
	for {
		for ; fr != nil && interpOf(fr) != nil && functionOf(fr) != nil; fr = callerOf(fr) {
			list = append(list, fr)
		}
		if t.g == nil && len(segments) == 0 || t.g != nil && fr == t.g.root {
			return list
		}
		i := slices.Index(segments, fr)
		var below *frame
		switch {
		case i > 0:
			below = segments[i-1]
		case t.g != nil && t.g.root != nil:
			below = t.g.root
		default:
			return list
		}
		segments = segments[:max(i, 0)]
		root := below
		if fr = innermost(root); fr == root {
			if t.g == nil || root == t.g.root {
				return list
			}
		}
		if slices.Contains(list, fr) {
			return list
		}
	}
}

// present returns the instruction that a frame is executing.
func present(fr *frame) ssa.Instruction {
	list := field[[]ssa.Instruction](functionOf(fr), layout.ssaInstrs)
	i := field[int](unsafe.Pointer(fr), layout.ipc) - 1
	if i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

// position returns the position of the instruction that a frame is executing. If that instruction has no position, it
// returns the position of the nearest earlier instruction that has one.
func (s *Session) position(fr *frame) token.Position {
	list := field[[]ssa.Instruction](functionOf(fr), layout.ssaInstrs)
	for i := min(field[int](unsafe.Pointer(fr), layout.ipc), len(list)) - 1; i >= 0; i-- {
		if in := list[i]; in != nil && in.Pos().IsValid() {
			return s.ctx.FileSet.Position(in.Pos())
		}
	}
	return token.Position{}
}

// isForwarding reports whether a frame is executing an older version of a function, and that version is just calling
// the current version.
func isForwarding(fr *frame) bool {
	call, ok := present(fr).(*ssa.Call)
	if !ok {
		return false
	}
	load, ok := call.Call.Value.(*ssa.UnOp)
	return ok && isHook(load.X)
}

// stack returns the frames of a goroutine for display. The caller holds mu.
func (d *debugger) stack(t *thread) []engine.DebugFrame {
	h := d.held
	var list []engine.DebugFrame
	s := d.s
	var above *frame
	for _, fr := range s.calls(t) {
		if above != nil && callerOf(above) != fr {
			// A package that is run from source is called like a compiled package, but has frames of its own.
			if name := calledName(fr); name != "" && (len(list) == 0 || list[len(list)-1].Func != name) {
				list = append(list, engine.DebugFrame{Func: name})
			}
		}
		above = fr
		if isForwarding(fr) {
			continue
		}
		fn := functionOfFrame(fr)
		if fn == nil || isGenerated(fn) {
			continue
		}
		name, _ := fixedFuncName(fn)
		f := engine.DebugFrame{Func: funcName(name)}
		if st := siteOf(fr); st != nil {
			h.lastFrame++
			f.ID = h.lastFrame
			h.frames[f.ID] = &heldFrame{fr, st}
			p := s.position(fr)
			f.Cell, f.Source, f.Line, f.Col = p.Filename, st.source, st.line, st.col
			list = append(list, f)
			continue
		}
		p := s.position(fr)
		if !p.IsValid() {
			continue
		}
		f.Cell, f.Line, f.Col = p.Filename, p.Line, p.Column
		if m := s.modules.fileOf(p.Filename); m != "" {
			f.File = m
		} else if text, known := s.sources.textOf(p.Filename); known {
			f.Source = text
		} else {
			continue
		}
		list = append(list, f)
	}
	return list
}

// calledName returns the name of the compiled function that a frame calls, or "" if the callee is code of a
// cell or unknown.
func calledName(fr *frame) string {
	if call, ok := present(fr).(ssa.CallInstruction); ok {
		if f := call.Common().StaticCallee(); f != nil && f.Blocks == nil {
			return funcName(f.String())
		}
	}
	return ""
}

// isGenerated reports whether the source has no text for f, as for a wrapper of a promoted method.
func isGenerated(f *ssa.Function) bool {
	return f.Synthetic != "" && !strings.HasPrefix(f.Synthetic, "instance of") && !strings.HasPrefix(f.Synthetic, "range-over-func")
}

func functionOfFrame(fr *frame) *ssa.Function {
	return field[*ssa.Function](functionOf(fr), layout.fn)
}

// textOf returns the full text of a cell, even if only a part of it was run.
func (s *sources) textOf(cell string) (text string, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, known = s.text[cell]
	return cmp.Or(s.whole[cell], text), known
}

// fileOf returns a source file's path on this machine, given the name that the file has in positions. It returns "" if
// the file does not belong to a package that is run from source.
func (m *modules) fileOf(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.byPath {
		if i := slices.Index(p.texts, name); i >= 0 && i < len(p.src.Files) {
			return filepath.Join(p.src.Dir, p.src.Files[i])
		}
	}
	return ""
}

// Stack returns the calls of a stopped goroutine; see engine.Debug.
func (d *debugger) Stack(id int) ([]engine.DebugFrame, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held == nil {
		return nil, engine.ErrNotHeld
	}
	if list, ok := d.held.stacks[id]; ok {
		return list, nil
	}
	t := d.heldThread(id)
	if t == nil {
		return nil, engine.ErrNotHeld
	}
	list := d.stack(t)
	d.held.stacks[id] = list
	return list, nil
}

// Locals returns the variables of a frame; see engine.Debug.
func (d *debugger) Locals(id engine.FrameID) ([]engine.DebugVariable, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.frame(id)
	if err != nil {
		return nil, err
	}
	list := []engine.DebugVariable{}
	for _, v := range f.site.vars {
		dv := engine.DebugVariable{Name: v.name, Type: shortType(v.typ), Value: v.value(f.fr)}
		if !dv.Value.IsValid() {
			dv.Note = "has no value yet"
		}
		list = append(list, dv)
	}
	return list, nil
}

// frame returns a frame of a stopped goroutine. The caller holds mu.
func (d *debugger) frame(id engine.FrameID) (*heldFrame, error) {
	if d.held == nil || d.held.frames[id] == nil {
		return nil, engine.ErrNotHeld
	}
	return d.held.frames[id], nil
}

// Globals returns the session's variables; see engine.Debug.
func (d *debugger) Globals() ([]engine.DebugVariable, func(), error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if h := d.held; h != nil {
		if d.othersRun() {
			return nil, nil, fmt.Errorf("%w: a goroutine is in compiled code and may change variables", engine.ErrNotHeld)
		}
		return d.s.globals(), d.reader(h), nil
	}
	s := d.s
	if !s.introspection.running.TryRLock() {
		return nil, nil, engine.ErrNotHeld
	}
	letGo, ok := s.stop.still()
	if !ok {
		s.introspection.running.RUnlock()
		return nil, nil, engine.ErrNotHeld
	}
	done := false
	release := func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if !done {
			done = true
			letGo()
			s.introspection.running.RUnlock()
		}
	}
	return s.globals(), release, nil
}

// reader adds a reader of variables to h. The reader must call the returned function when it has finished. The caller
// of reader holds mu.
func (d *debugger) reader(h *hold) (done func()) {
	h.readers++
	return sync.OnceFunc(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if h.readers--; h.readers == 0 && h.released() {
			close(h.goOn)
		}
	})
}

// othersRun reports whether a goroutine of a cell is neither stopped nor waiting. The caller holds mu.
func (d *debugger) othersRun() bool {
	var gids []uint64
	d.s.stop.mu.Lock()
	for g := range d.s.stop.all {
		if g.gid != 0 && g.wait.Load() == nil && !g.run.evaluating && !d.isParked(g) {
			gids = append(gids, g.gid)
		}
	}
	d.s.stop.mu.Unlock()
	if len(gids) == 0 {
		return false
	}
	doing := compiledWork()
	return slices.ContainsFunc(gids, func(id uint64) bool { w := doing[id]; return w.state == "running" || w.state == "runnable" })
}

// isParked reports whether this debugger has stopped g. The caller holds mu.
func (d *debugger) isParked(g *goroutine) bool {
	for t := range d.parked {
		if t.g == g {
			return true
		}
	}
	return false
}

func (s *Session) globals() []engine.DebugVariable {
	s.introspection.mu.Lock()
	e := s.env
	s.introspection.mu.Unlock()
	list := []engine.DebugVariable{}
	for name, v := range e.vars {
		dv := engine.DebugVariable{Name: name, Type: shortType(v.typ)}
		if v.addr != nil {
			dv.Value = reflect.ValueOf(v.addr).Elem()
		} else {
			dv.Note = "has no value yet"
		}
		list = append(list, dv)
	}
	slices.SortFunc(list, func(a, b engine.DebugVariable) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Goroutines lists the goroutines of cells; see engine.Debug.
func (d *debugger) Goroutines() []engine.DebugGoroutine {
	d.mu.Lock()
	defer d.mu.Unlock()
	type one struct {
		g    *goroutine
		gid  uint64
		main bool
	}
	var all []one
	s := d.s
	s.stop.mu.Lock()
	for g := range s.stop.all {
		if !g.run.evaluating {
			all = append(all, one{g, g.gid, g.main && !g.run.ended})
		}
	}
	s.stop.mu.Unlock()
	slices.SortFunc(all, func(a, b one) int {
		if a.main != b.main {
			if a.main {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.g.id, b.g.id)
	})
	list := []engine.DebugGoroutine{}
	if len(all) == 0 && len(d.parked) == 0 {
		return list
	}
	var doing map[uint64]work
	for _, o := range all {
		held := d.isParked(o.g)
		g := engine.DebugGoroutine{ID: o.g.id, Name: o.g.cell, Held: d.held != nil && (held || o.g.wait.Load() != nil)}
		if !o.g.main && o.g.line > 0 {
			g.Name = fmt.Sprintf("%s line %d: %s", o.g.cell, o.g.line, strings.TrimSpace(o.g.source))
		}
		if held {
			g.State = "held"
		} else {
			if doing == nil {
				doing = compiledWork()
			}
			g.State = s.state(o.g, doing[o.gid])
		}
		list = append(list, g)
	}
	var strangers []engine.DebugGoroutine
	for t := range d.parked {
		if t.g == nil {
			strangers = append(strangers, engine.DebugGoroutine{ID: t.id, Name: "called by compiled code", Held: d.held != nil, State: "held"})
		}
	}
	slices.SortFunc(strangers, func(a, b engine.DebugGoroutine) int { return cmp.Compare(a.ID, b.ID) })
	return append(list, strangers...)
}

// segmented is called when compiled code is about to call a function of a cell, whose frame will be below root. Until
// the returned function is called, stacks also show the calls below root. segmented returns nil if no debugger is
// attached and no compiled code asks for its callers.
func (s *Session) segmented(root *frame) func() {
	if s.debug.now.Load() == nil && !callers.Watched() && !s.modules.any.Load() {
		return nil
	}
	return s.debug.enterSegment(root)
}
