package ixengine

import (
	"go/types"
	"reflect"
	"slices"
	"sync"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
)

// Go ends the process when it finds two goroutines at one map, one of which writes.
// So, while there can be more than one goroutine, each instruction on a map notes what it
// does to which map, and panics in the cell where that does not go with what others are
// doing. Compiled code that is given a map, such as package maps or fmt.Println, notes nothing.

// mapUse is what goroutines are doing with one map.
type mapUse struct {
	m       uintptr
	readers int
	writes  bool
}

// mapUses are the maps in use at the moment: not more than goroutines run.
type mapUses struct {
	mu   sync.Mutex
	uses []mapUse
}

// enter notes a use of m, and panics if it does not go with the others.
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

// leave ends what enter noted.
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

// onMap returns the instruction old on the map x, nil if x is none.
func (s *Session) onMap(x ssa.Value, write bool, r *registers, old instruction) instruction {
	if _, ok := x.Type().Underlying().(*types.Map); !ok {
		return nil
	}
	reg := r.of(x)
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
