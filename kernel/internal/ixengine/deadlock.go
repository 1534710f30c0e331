package ixengine

import (
	"go/types"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"overcomplete/internal/module"
)

// A deadlocked cell would hang until it is interrupted. So the engine ends it with an error when nothing can
// wake its goroutines: each goroutine of each cell has waited for at least a second, for a lock or for a
// channel on which only cells send and receive; no timer is set; and the process has no other goroutine that
// could call a function of a cell. Once a cell has passed a function or a channel to compiled code that may
// keep it (a server, a slider), no deadlock is reported for the rest of the session.

const deadlock = "deadlock: all goroutines wait, and nothing can wake them up"

// standstill is the time without any progress after which a deadlock is reported.
const standstill = time.Second

// harmless lists packages whose functions call the functions that they are given only before they return. Some packages
// in the list, like time and sync, do not keep to this, but are handled elsewhere. Packages of gonum and gota are
// harmless too (see handsOut).
var harmless = []string{"sort", "slices", "strings", "bytes", "maps", "sync", "time", "unicode", "iter", "fmt", "math", "testing", "testing/synctest"}

// handsOut reports whether the instruction that makes the given call must record, each time, that it passes a function
// or a channel to compiled code. It returns true only in a package that is run from source, where many calls are never
// executed. In a cell, most calls are executed: if one passes a function or a channel, handsOut records this at once
// and returns false.
func (s *Session) handsOut(call *ssa.CallCommon) bool {
	if packagePath(call.Value.Parent()) == "iter@patch" {
		return false // iter.Pull keeps its caller's function only for that caller
	}
	if f, ok := call.Value.(*ssa.Function); ok && f.Pkg != nil {
		path := strings.TrimSuffix(f.Pkg.Pkg.Path(), "@patch")
		if s.modules.byPackage[f.Pkg.Pkg] != nil {
			return false
		}
		if slices.Contains(harmless, path) || strings.HasPrefix(path, "gonum.org/v1/") || strings.HasPrefix(path, "github.com/go-gota/") {
			return false
		}
	}
	for p := range call.Signature().Params().Variables() {
		switch p.Type().Underlying().(type) {
		case *types.Signature, *types.Chan:
			if s.building {
				return true
			}
			s.handedOut.Store(true)
		}
	}
	return false
}

// packagePath returns the path of f's package, or "" if f has no package. For an instance of a generic
// function, it is the path of the package that declares the generic function.
func packagePath(f *ssa.Function) string {
	if f != nil && f.Origin() != nil {
		f = f.Origin()
	}
	if f == nil || f.Pkg == nil {
		return ""
	}
	return f.Pkg.Pkg.Path()
}

// thenHandedOut returns an instruction that records that a cell passes a function or a channel to compiled code, and
// then runs the given instruction.
func (s *Session) thenHandedOut(call instruction) instruction {
	return func(fr *frame) {
		s.handedOut.Store(true)
		call(fr)
	}
}

// deadlocks watches for deadlocks.
type deadlocks struct {
	since time.Time
	looks int // checks since then; a suspended process makes no checks
	waits map[*goroutine]uint64
}

// look reports whether there is a deadlock. It is called repeatedly, and finds a deadlock only after all goroutines of
// cells have been in the same waits for the time s.standstill.
func (d *deadlocks) look(s *Session) bool {
	if s.handedOut.Load() || s.timers.Load() != 0 {
		return false
	}
	waits := map[*goroutine]uint64{}
	gids := map[uint64]bool{}
	s.stop.mu.Lock()
	for g := range s.stop.all {
		w := g.wait.Load()
		if w == nil || w.elsewhere {
			waits = nil
			break
		}
		waits[g], gids[g.gid] = g.waits.Load(), true
	}
	s.stop.mu.Unlock()
	if waits == nil || !maps.Equal(waits, d.waits) {
		d.since, d.looks, d.waits = time.Now(), 0, waits
		return false
	}
	d.looks++
	if time.Since(d.since) < s.standstill || d.looks < 2 {
		return false
	}
	d.since, d.looks = time.Now(), 0 // reading the stacks of all goroutines takes time
	return !hasForeignGoroutines(gids)
}

// hasForeignGoroutines reports whether the process has a goroutine that could call a function of a cell: one that
// neither the kernel nor Go's own libraries started for themselves, and whose id is not in the given set, which holds
// the ids of the goroutines of cells.
func hasForeignGoroutines(cells map[uint64]bool) bool {
	for id, text := range stacks() {
		header, _, _ := strings.Cut(text, "\n")
		own := cells[id] || strings.Contains(header, "[coroutine") // iter.Pull's goroutine runs only when its owner asks for a value
		for _, part := range []string{module.Package("kernel/"), module.Package("cmd/"), "created by os/signal.", "created by runtime.", "created by runtime/pprof.", "runtime.handleEvent(", "created by testing.", "created by net/http.(*Transport)", "main.main("} {
			own = own || strings.Contains(text, part)
		}
		if !own {
			return true
		}
	}
	return false
}

// endless reports whether only cells can end a wait on a channel of type t. This is assumed of every channel type that
// allows both sending and receiving.
func endless(t types.Type) bool {
	c, ok := t.Underlying().(*types.Chan)
	return ok && c.Dir() == types.SendRecv
}
