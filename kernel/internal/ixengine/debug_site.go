package ixengine

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
)

// A place is a statement of a source at which execution can stop.
type place struct {
	id        int
	source    string
	offset    int
	line, col int
	names     []string // names of the variables in scope
	// armed is set while the place has a breakpoint.
	armed atomic.Bool
}

// places holds all places of code in debug form.
type places struct {
	mu       sync.Mutex
	list     []*place
	bySource map[string]map[int]*place
}

func (d *debugState) place(source string, at token.Position, names []string) *place {
	d.places.mu.Lock()
	defer d.places.mu.Unlock()
	if d.places.bySource == nil {
		d.places.bySource = map[string]map[int]*place{}
	}
	of := d.places.bySource[source]
	if of == nil {
		of = map[int]*place{}
		d.places.bySource[source] = of
	}
	if p := of[offsetOf(at)]; p != nil {
		return p
	}
	p := &place{id: len(d.places.list), source: source, offset: offsetOf(at), line: at.Line, col: at.Column, names: names}
	of[offsetOf(at)] = p
	d.places.list = append(d.places.list, p)
	if now := d.now.Load(); now != nil {
		p.armed.Store(now.wants(p))
	}
	return p
}

func (d *debugState) placeOf(id int) *place {
	d.places.mu.Lock()
	defer d.places.mu.Unlock()
	return d.places.list[id]
}

// arm marks the places that have breakpoints.
func (d *debugState) arm(wants func(*place) bool) {
	d.places.mu.Lock()
	defer d.places.mu.Unlock()
	for _, p := range d.places.list {
		p.armed.Store(wants(p))
	}
}

// A site is a place as it occurs in one function of one program, with the registers that hold the addresses of its
// variables. (The sites of register code are something else; see fastSite.)
type site struct {
	*place
	vars []siteVar
	slot int // the register that holds the current site
}

// A siteVar is a variable in scope at a site.
type siteVar struct {
	name string
	typ  types.Type
	reg  int // register that holds its address
}

// hostFunction returns the name of the host package's function that an instruction calls, or "" if the instruction is
// not such a call.
func hostFunction(in ssa.Instruction) string {
	call, ok := in.(*ssa.Call)
	if !ok {
		return ""
	}
	f, ok := call.Call.Value.(*ssa.Function)
	if !ok || f.Pkg == nil || f.Pkg.Pkg.Path() != hostPath {
		return ""
	}
	return f.Name()
}

// slotIn returns the register that holds the current site of a frame of fn; ok is false if fn is not in debug
// form.
func slotIn(fn unsafe.Pointer) (slot int, ok bool) {
	index := field[map[ssa.Value]uint32](fn, layout.index)
	var first token.Pos
	for _, in := range field[[]ssa.Instruction](fn, layout.ssaInstrs) {
		if hostFunction(in) != enterName || ok && in.Pos() >= first {
			continue
		}
		slot, first, ok = int(index[in.(*ssa.Call)]&0xffffff), in.Pos(), true
	}
	return slot, ok
}

// debugInstructions makes the instructions of a function in debug form report to the debugger: it replaces calls of
// Enter and At, and wraps all other calls except those of builtins. It does nothing to functions in plain form.
func (s *Session) debugInstructions(fn unsafe.Pointer) {
	instrs := field[[]instruction](fn, layout.instrs)
	list := field[[]ssa.Instruction](fn, layout.ssaInstrs)
	slot, isFormed := slotIn(fn)
	if !isFormed {
		return
	}
	index := field[map[ssa.Value]uint32](fn, layout.index)
	debugging := &s.debug
	first := true
	for i, in := range list {
		name := hostFunction(in)
		switch call, isCall := in.(*ssa.Call); {
		case name == enterName && int(index[call]&0xffffff) == slot && first:
			first = false
			instrs[i] = func(fr *frame) {
				stackOf(fr)[slot] = nil
				if debugging.alert.Load() != 0 {
					s.entered(fr)
				}
			}
		case name == enterName:
			instrs[i] = func(*frame) {}
		case strings.HasPrefix(name, atName):
			st := debugging.site(call, index, slot)
			var boxed any = st
			n := len(st.vars)
			visit := func(fr *frame) {
				stackOf(fr)[slot] = boxed
				if st.armed.Load() || debugging.alert.Load() != 0 {
					s.visit(fr, st)
				}
			}
			instrs[i] = visit
			// The addresses need not be converted to interfaces first: skip that.
			begin := i - n
			for k := begin; k < i; k++ {
				if m, ok := list[max(k, 0)].(*ssa.MakeInterface); k < 0 || !ok || m != call.Call.Args[1+k-begin] {
					begin = i
				}
			}
			if begin < i {
				instrs[begin] = func(fr *frame) {
					setField(unsafe.Pointer(fr), layout.ipc, i+1)
					visit(fr)
				}
			}
		case isCall:
			if _, isBuiltin := call.Call.Value.(*ssa.Builtin); isBuiltin || name != "" {
				continue
			}
			old := instrs[i]
			instrs[i] = func(fr *frame) {
				old(fr)
				if debugging.alert.Load() != 0 {
					s.returned(fr)
				}
			}
		}
	}
}

// site returns the site that belongs to the given call of one of the host package's functions At0, At1 and so on.
func (d *debugState) site(call *ssa.Call, index map[ssa.Value]uint32, slot int) *site {
	id, _ := constant.Int64Val(call.Call.Args[0].(*ssa.Const).Value)
	st := &site{place: d.placeOf(int(id)), slot: slot}
	for i, arg := range call.Call.Args[1:] {
		m, ok := arg.(*ssa.MakeInterface)
		if !ok {
			continue
		}
		reg, ok := index[m.X]
		if p, isPointer := m.X.Type().Underlying().(*types.Pointer); ok && isPointer {
			st.vars = append(st.vars, siteVar{st.names[i], p.Elem(), int(reg & 0xffffff)})
		}
	}
	if len(st.vars) != len(call.Call.Args)-1 {
		panic(fmt.Sprintf("ixengine: place %d: %v", id, call))
	}
	return st
}

// siteOf returns the current site of a frame, or nil if its function is not in debug form or has not reached a
// statement.
func siteOf(fr *frame) *site {
	slot, ok := slotIn(functionOf(fr))
	if !ok {
		return nil
	}
	st, _ := stackOf(fr)[slot].(*site)
	return st
}

func functionOf(fr *frame) unsafe.Pointer {
	return field[unsafe.Pointer](unsafe.Pointer(fr), layout.pfn)
}
func interpOf(fr *frame) *ixgo.Interp {
	return field[*ixgo.Interp](unsafe.Pointer(fr), layout.interp)
}
func callerOf(fr *frame) *frame { return field[*frame](unsafe.Pointer(fr), layout.caller) }

// value returns the value of a variable of a frame; the result is invalid if the variable has no value yet.
func (v siteVar) value(fr *frame) reflect.Value {
	p := reflect.ValueOf(stackOf(fr)[v.reg])
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return reflect.Value{}
	}
	return p.Elem()
}
