package native

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	rc "overcomplete/kernel/internal/regcode"
)

// A program is a loop that has been compiled.
type program struct {
	of       []*rc.Code // keeps the constants that the module has the addresses of
	exits    []Exit
	instance instance
	base     uint64
	size     int // of an entry
	fuel     atomic.Int32
	free     atomic.Pointer[entry]
	// patience is how often calls of a run may get more fuel, see refused.
	patience atomic.Int32
}

// An entry is what a module is called with, for one call at a time.
type entry struct {
	call  func(at uint64) error
	data  []uint64 // see atN
	at    uint64
	spent bool // the last call ran out of fuel
	was   int32
	more  int32 // how often calls may still get more fuel
}

// A module comes back when it has done about as many ops as it got fuel: after about turn, which is
// measured, as a collection waits for it.
const (
	firstFuel = 1 << 16
	leastFuel = 1 << 10
	mostFuel  = 1 << 24
	turn      = 200 * time.Microsecond
)

// A call that goes on is given more fuel by Go code, which the collector can stop. If something in it fails
// in the end, all has been in vain: so its time is bounded, by more the more has come of it before.
const (
	moreFuel      = 1 << 17
	longFuel      = 1 << 22 // for calls that get no more: some milliseconds
	firstPatience = 1 << 9
	mostPatience  = 1 << 13
)

// run is a Native.
func (p *program) run(n *rc.N, ptr *rc.P) (pc, ops int32) {
	e := p.free.Swap(nil)
	if e == nil {
		e = p.enter()
	}
	data := e.data
	data[atN/8] = uint64(uintptr(unsafe.Pointer(n))) - p.base
	data[atP/8] = uint64(uintptr(unsafe.Pointer(ptr))) - p.base
	if (data[atN/8] | data[atP/8] | e.at) >= span {
		return p.exits[0].PC, 0 // not in the window
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
		// The registers are lost. Modules are emitted so that this cannot be.
		panic(fmt.Errorf("native code: %w", err))
	}
	x := &p.exits[data[atExit/8]]
	for _, s := range x.Pointers {
		at := &data[atPointers/8+s.At]
		*at += p.base
		ptr[s.Register] = *(*unsafe.Pointer)(unsafe.Pointer(at))
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
	if e.more < e.was { // it got more fuel, so it has done a lot
		ops = moreFuel
	}
	p.free.Store(e) // another goroutine may have it from now on
	return x.PC, ops
}

// enter makes an entry.
func (p *program) enter() *entry {
	e := &entry{data: make([]uint64, p.size)}
	e.call = p.instance.caller(&e.more)
	e.at = uint64(uintptr(unsafe.Pointer(&e.data[0]))) - p.base
	return e
}

// refuel gives the fuel for a turn, when some was used up in that time.
func refuel(fuel int32, took time.Duration) int32 {
	better := float64(fuel) * float64(turn) / float64(max(took, time.Microsecond))
	better = min(better, 2*float64(fuel)) // a slow turn must not follow a quick one
	return int32(min(max(better, leastFuel), mostFuel))
}
