package ixengine

import (
	"go/types"
	"reflect"
	"slices"
	"sync"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
)

// Instructions on maps. The interpreter executes instructions on maps by reflection. A nil interface in a
// register has no type, and in reflection a value without a type means a missing element. So the interpreter
// deletes elements that are set to nil, and refuses nil as a key. The instructions are replaced here.

// valueAs returns the register value v as a reflect.Value that can be assigned to type t. For nil it returns the zero
// value of t.
func valueAs(v any, t reflect.Type) reflect.Value {
	if v == nil {
		return reflect.Zero(t)
	}
	if t.Kind() == reflect.Interface && t.NumMethod() > 0 {
		v = fit(v, t)
	}
	return reflect.ValueOf(v)
}

// setElement implements m[k] = v.
func setElement(in *ssa.MapUpdate, r *registers) instruction {
	m, k, v := r.slotOf(in.Map), r.slotOf(in.Key), r.slotOf(in.Value)
	return func(fr *frame) {
		stack := stackOf(fr)
		m := reflect.ValueOf(stack[m])
		m.SetMapIndex(valueAs(stack[k], m.Type().Key()), valueAs(stack[v], m.Type().Elem()))
	}
}

// lookUp implements m[k].
func lookUp(in *ssa.Lookup, r *registers) instruction {
	m, k, result := r.slotOf(in.X), r.slotOf(in.Index), r.slotOf(in)
	return func(fr *frame) {
		stack := stackOf(fr)
		m := reflect.ValueOf(stack[m])
		e := m.MapIndex(valueAs(stack[k], m.Type().Key()))
		ok := e.IsValid()
		if !ok {
			e = reflect.Zero(m.Type().Elem())
		}
		if in.CommaOk {
			stack[result] = ixgo.Tuple{e.Interface(), ok}
		} else {
			stack[result] = e.Interface()
		}
	}
}

// deleteKey implements delete(m, k).
func deleteKey(in *ssa.Call, r *registers) instruction {
	m, k := r.slotOf(in.Call.Args[0]), r.slotOf(in.Call.Args[1])
	return func(fr *frame) {
		stack := stackOf(fr)
		deleteFrom(stack[m], stack[k])
	}
}

func deleteFrom(m, k any) {
	v := reflect.ValueOf(m)
	v.SetMapIndex(valueAs(k, v.Type().Key()), reflect.Value{})
}

// Concurrent uses of maps. Go ends the process when it detects that one goroutine writes to a map while another uses
// it. So, while
// there can be more than one goroutine, each instruction on a map records its use of the map, and panics in
// the cell if another goroutine's use conflicts. Compiled code that gets a map, such as package maps or
// fmt.Println, records no use.

// A mapUse counts the goroutines that are using one map.
type mapUse struct {
	m       uintptr
	readers int
	writes  bool
}

// mapUses holds the maps currently in use, at most one per running goroutine.
type mapUses struct {
	mu   sync.Mutex
	uses []mapUse
}

// enter records a use of m, and panics if it conflicts with other uses.
func (u *mapUses) enter(m uintptr, write bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	i := slices.IndexFunc(u.uses, func(o mapUse) bool { return o.m == m })
	switch {
	case i < 0:
		o := mapUse{m: m, writes: write}
		if !write {
			o.readers = 1
		}
		u.uses = append(u.uses, o)
	case write && u.uses[i].writes:
		panic(ixgo.PlainError("concurrent map writes"))
	case write || u.uses[i].writes:
		panic(ixgo.PlainError("concurrent map read and map write"))
	default:
		u.uses[i].readers++
	}
}

// leave ends a use recorded by enter.
func (u *mapUses) leave(m uintptr) {
	u.mu.Lock()
	defer u.mu.Unlock()
	i := slices.IndexFunc(u.uses, func(o mapUse) bool { return o.m == m })
	if u.uses[i].readers--; u.uses[i].readers <= 0 {
		u.uses = slices.Delete(u.uses, i, i+1)
	}
}

// alone reports whether the calling goroutine is the only one that can run code of cells.
func (s *Session) alone() bool {
	return s.stop.alive.Load() <= 1 && s.timers.Load() == 0 && !s.handedOut.Load()
}

// onMap returns an instruction that runs old, an instruction that uses the map x. If write is true, old changes the
// map. The new instruction panics if another goroutine is using the map in a way that conflicts. onMap returns nil if x
// is not a map.
func (s *Session) onMap(x ssa.Value, write bool, r *registers, old instruction) instruction {
	if _, ok := x.Type().Underlying().(*types.Map); !ok {
		return nil
	}
	reg := r.slotOf(x)
	return func(fr *frame) {
		if s.alone() {
			old(fr)
			return
		}
		m := reflect.ValueOf(stackOf(fr)[reg])
		if m.Kind() != reflect.Map || m.IsNil() {
			old(fr)
			return
		}
		p := m.Pointer()
		s.maps.enter(p, write)
		defer s.maps.leave(p)
		old(fr)
	}
}
