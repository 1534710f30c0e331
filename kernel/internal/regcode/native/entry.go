package native

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	rc "overcomplete/kernel/internal/regcode"
)

// A program is a loop or a call that has been compiled.
type program struct {
	of       []*rc.Code // keeps constants alive whose addresses are in the module
	exits    []Exit
	instance instance
	base     uint64
	size     int // size of an entry, in words
	fuel     atomic.Int32
	free     atomic.Pointer[entry]
	// patience is the number of times that calls in one run may get more fuel; see Exit.Refused.
	patience atomic.Int32
}

// An entry is the argument block of a module, used by one call at a time.
type entry struct {
	call  func(at uint64) error
	data  []uint64 // argument block; see atN
	at    uint64
	kept  []unsafe.Pointer // pointers of the calls that are being begun
	spent bool             // the last call ran out of fuel
	was   int32
	more  int32 // number of times that calls in the run may still get more fuel
}

// A module executes about one op per unit of fuel, and returns when the fuel is used up. The fuel is adjusted so that
// the duration of a run is close to the constant turn, because a garbage collection must wait for the module.
const (
	firstFuel = 1 << 16
	leastFuel = 1 << 10
	mostFuel  = 1 << 24
	turn      = 200 * time.Microsecond
)

// A call that uses up its fuel gets more fuel from Go code, where the garbage collector can stop it. If an op
// in the call then fails, all work of the call is wasted, so the call's time is bounded. The bound grows when
// calls succeed.
const (
	moreFuel      = 1 << 17
	longFuel      = 1 << 22 // fuel for calls that cannot get more: some milliseconds
	firstPatience = 1 << 9
	mostPatience  = 1 << 13
)

// run implements rc.Native.
func (p *program) run(m *rc.Machine, n *rc.N, ptr *rc.P) (pc, ops int32) {
	e := p.free.Swap(nil)
	if e == nil {
		e = p.enter()
	}
	data := e.data
	data[atN/8] = uint64(uintptr(unsafe.Pointer(n))) - p.base
	data[atP/8] = uint64(uintptr(unsafe.Pointer(ptr))) - p.base
	if (data[atN/8] | data[atP/8] | e.at) >= span {
		return p.exits[0].PC, 0 // the registers are not in the window
	}
	fuel := p.fuel.Load()
	e.was = p.patience.Load()
	e.more = e.was
	data[atFuel/8] = uint64(fuel)
	var began time.Time
	if e.spent {
		began = time.Now()
	}
	if err := e.call(e.at); err != nil {
		// The registers are lost. Emitted modules never trap, so this cannot happen.
		panic(fmt.Errorf("native code: %w", err))
	}
	x := &p.exits[data[atExit/8]]
	for _, s := range x.Pointers {
		at := &data[atSlots/8+s.At]
		*at += p.base
		ptr[s.Register] = *(*unsafe.Pointer)(unsafe.Pointer(at))
	}
	if len(x.Calls) > 0 {
		e.begin(m, x.Calls, p.base)
	}
	if x.Refused {
		p.patience.Store(max(e.was/8, 1))
	} else if e.more < e.was/2 {
		p.patience.Store(min(2*e.was, mostPatience))
	}
	left := int32(data[atFuel/8])
	spent := left < 0
	if spent && e.spent {
		p.fuel.Store(refuel(fuel, time.Since(began)))
	}
	e.spent = spent
	ops = fuel - left
	if e.more < e.was { // the module got more fuel, so it has executed many ops
		ops = moreFuel
	}
	p.free.Store(e) // from here on another goroutine may use the entry
	return x.PC, ops
}

// begin makes m begin the given inlined calls, which have not returned, and sets their registers to the values that the
// module has written to e.
func (e *entry) begin(m *rc.Machine, list []Begun, base uint64) {
	for i := range list {
		for _, s := range list[i].Pointers { // before Enter, which may allocate memory
			at := &e.data[atSlots/8+s.At]
			*at += base
			e.kept = append(e.kept, *(*unsafe.Pointer)(unsafe.Pointer(at)))
		}
	}
	kept := e.kept
	for i := range list {
		b := &list[i]
		a := m.Enter(b.At, b.Func, b.Code)
		for _, s := range b.Numbers {
			a.N[s.Register] = e.data[atSlots/8+s.At]
		}
		for k, s := range b.Pointers {
			a.P[s.Register] = kept[k]
		}
		kept = kept[len(b.Pointers):]
	}
	clear(e.kept)
	e.kept = e.kept[:0]
}

// enter returns a new entry.
func (p *program) enter() *entry {
	e := &entry{data: make([]uint64, p.size)}
	e.call = p.instance.caller(&e.more)
	e.at = uint64(uintptr(unsafe.Pointer(&e.data[0]))) - p.base
	return e
}

// refuel returns the fuel for the next run, the approximate number of ops that the module may execute. The last run
// used up the given fuel and took the given duration.
func refuel(fuel int32, duration time.Duration) int32 {
	better := float64(fuel) * float64(turn) / float64(max(duration, time.Microsecond))
	better = min(better, 2*float64(fuel)) // a slow run must not follow a fast run
	return int32(min(max(better, leastFuel), mostFuel))
}
