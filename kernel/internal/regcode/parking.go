package regcode

import (
	"sync/atomic"
	"unsafe"
)

// A Parking keeps machines whose call has returned, for the next call of the same function. The constants of the
// function stay in the machine's registers. Compiled code that calls a function of a cell often calls it again at once.
type Parking struct {
	slots [16]atomic.Pointer[Machine]
}

// Push begins a call of f, like Get and Machine.Push. It uses a machine that has been kept for f, if there is one.
func (p *Parking) Push(h Host, f *Func, code *Code) (*Machine, *Activation) {
	var m *Machine
	for i := range ways {
		if m = p.slot(f, i).Swap(nil); m == nil {
			continue
		}
		a := m.Top()
		if a.Func == f && a.Code == code {
			a.PC, a.special = 0, true
			return m, a
		}
		if i < ways-1 && p.slot(f, i).CompareAndSwap(nil, m) {
			m = nil
			continue
		}
		m.Pop()
		break
	}
	if m == nil {
		m = Get(h)
	}
	return m, m.Push(f, code, nil)
}

// Pop ends the call that Push began, and keeps m for the next call of the same function, if m is small and a slot is
// free. Otherwise it puts m back, like Machine.Pop and Machine.Put.
func (p *Parking) Pop(m *Machine) {
	a := m.Top()
	if len(m.Stack) != 1 || len(m.chunks) > 1 {
		m.Pop()
		m.Put()
		return
	}
	a.clear()
	a.Frame = nil
	for i := range ways {
		if slot := p.slot(a.Func, i); slot.Load() == nil && slot.CompareAndSwap(nil, m) {
			return
		}
	}
	m.Pop()
	m.Put()
}

// Empty returns all kept machines to the pool, so that they keep no functions alive.
func (p *Parking) Empty() {
	for i := range p.slots {
		if m := p.slots[i].Swap(nil); m != nil {
			m.Pop()
			m.Put()
		}
	}
}

// ways is the number of slots that a function may use.
const ways = 2

// slot returns one of the slots in which a machine for calls of f may be kept. way, from 0 to ways-1, says which
// one.
func (p *Parking) slot(f *Func, way int) *atomic.Pointer[Machine] {
	const golden = 0x9e3779b97f4a7c15 // spreads differences in any bits over the upper bits
	return &p.slots[int(uint64(uintptr(unsafe.Pointer(f)))*golden>>60)^way]
}
