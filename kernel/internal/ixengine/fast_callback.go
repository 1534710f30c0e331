package ixengine

import (
	"slices"
	"unsafe"

	"github.com/goplus/ixgo"

	"overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// callFromCompiled runs when compiled code calls the func value of a closure of a cell. callFromCompiled is the
// function Run of the closure's rt.Target t; n and p hold the arguments and, after the call, the results.
func callFromCompiled(t *rt.Target, n []uint64, p []unsafe.Pointer) {
	(*fastClosure)(unsafe.Pointer(t)).callFromCompiled(nil, n, p)
}

// callFromCompiled executes a call of c by compiled code. The slices n and p hold the registers of the arguments, and
// after the call those of the results. If receiver is not nil, it describes the first argument; p[0] is then the
// argument's address in memory, not a register of the argument.
func (c *fastClosure) callFromCompiled(receiver *passage, n []uint64, p []unsafe.Pointer) {
	f := c.fn
	if f.session.debug.panics.Load() != 0 || !f.ready() || f.session.panicking(f.interp) {
		c.inFrame(receiver, n, p)
		return
	}
	keepShallow()
	k := f.called
	m, act := f.session.parking.Push(fastHost{}, &f.Func, f.Code.Load())
	k.place(receiver, n, p, act.N, act.P)
	for i, v := range c.N {
		act.N[k.argN+i] = v
	}
	for i, v := range c.P {
		act.P[k.argP+i] = v
	}
	if f.marksNothing() {
		outer := f.mark()
		f.session.runMachine(m)
		setLabel(outer)
	} else {
		f.session.runMachine(m)
	}
	for i := range k.resultN {
		n[i] = act.N[i]
	}
	for i := range k.resultP {
		p[i] = act.P[i]
	}
	if m.Top().Frame != nil {
		fastHost{}.Left(m.Top())
	}
	f.session.parking.Pop(m)
}

// place puts the arguments of fastClosure.callFromCompiled into the first registers of toN and toP.
func (k *callForm) place(receiver *passage, n []uint64, p []unsafe.Pointer, toN *regcode.N, toP *regcode.P) {
	atN, atP := 0, 0
	if receiver != nil {
		receiver.load(p[0], toN, toP)
		atN, atP = receiver.n, receiver.p
		p = p[1:]
	}
	for i := range k.argN - atN {
		toN[atN+i] = n[i]
	}
	for i := range k.argP - atP {
		toP[atP+i] = p[i]
	}
}

// ready reports whether register code can call f.
func (f *fastFunc) ready() bool { return f.compiled() && f.isCallable }

// inFrame executes a call of c in the interpreter, as the interpreter's own func values do. Its parameters are those
// of fastClosure.callFromCompiled.
func (c *fastClosure) inFrame(receiver *passage, n []uint64, p []unsafe.Pointer) {
	f, k := c.fn, c.fn.called
	root := tryDeferFrame(f.interp)
	fr := c.frame(root, receiver, n, p)
	runFrame(fr)
	toN, toP := registersOf(n, p)
	stack := stackOf(fr)
	for _, x := range k.results {
		x.unbox(stack[x.slot], toN, toP)
	}
	deleteFrame(f.fn, root, fr)
}

// frame returns a frame for a call of c, with the given caller. The other parameters are those of
// fastClosure.callFromCompiled.
func (c *fastClosure) frame(caller *frame, receiver *passage, n []uint64, p []unsafe.Pointer) *frame {
	k := c.fn.called
	fr := allocFrame(c.fn.fn, caller)
	stack := stackOf(fr)
	inN, inP := registersOf(n, p)
	if receiver != nil {
		inN, inP = registersOf(make([]uint64, k.argN), make([]unsafe.Pointer, k.argP))
		k.place(receiver, n, p, inN, inP)
	}
	for _, x := range k.args {
		stack[x.slot] = x.box(inN, inP)
	}
	capturedN, capturedP := c.registers()
	for _, x := range k.captured {
		stack[x.slot] = x.box(capturedN, capturedP)
	}
	return fr
}

//go:linkname runFrame github.com/goplus/ixgo.(*frame).run
func runFrame(fr *frame)

// registersOf returns slices as register files. It copies nothing.
func registersOf(n []uint64, p []unsafe.Pointer) (*regcode.N, *regcode.P) {
	atN, atP := unsafe.Pointer(unsafe.SliceData(n)), unsafe.Pointer(unsafe.SliceData(p))
	return *(**regcode.N)(unsafe.Pointer(&atN)), *(**regcode.P)(unsafe.Pointer(&atP))
}

// A machine may hold calls of several programs. The interpreter knows the functions of only one program, so
// the frames of each program begin at their own root, as if compiled code stood between the programs.

// crosses reports whether m holds calls of several programs. It looks only at the calls that have frames.
func crosses(m *regcode.Machine) bool {
	return slices.ContainsFunc(m.Stack[1:], func(a regcode.Activation) bool {
		return a.Frame != nil && isRoot(callerOf((*frame)(a.Frame)))
	})
}

// crossOver is called when a panic, or the end of the goroutine, has ended calls of m: the innermost call and its
// callers, down to index last. p is the value of the panic, or nil at the end of the goroutine. For a panic, crossOver
// records each place where the panic propagates from a program to another program or to compiled code. It returns the
// value with which the panic continues.
func (s *Session) crossOver(m *regcode.Machine, last int, p any) any {
	for i := len(m.Stack) - 1; i >= last; i-- {
		fr := (*frame)(m.Stack[i].Frame)
		if fr == nil || !isRoot(callerOf(fr)) {
			continue
		}
		s.leaveSegment(fr)
		if i == 0 {
			if p != nil {
				p = s.recordCrossing(p, callerOf(fr))
			}
			break
		}
		if p != nil {
			p = panicValue(p)
			s.crossings.add(s.crossing(p, callerOf(fr)))
		}
		above := (*frame)(m.Stack[i-1].Frame)
		s.crossings.back(above)
		s.stop.callAborted(above)
	}
	if p != nil && last == 0 {
		return panicValue(p) // compiled code must get the value itself
	}
	return p
}

// leaveSegment undoes the effect of segmented(), if that was called at the beginning of the call of fr.
func (s *Session) leaveSegment(fr *frame) {
	if leave, ok := s.segments.LoadAndDelete(fr); ok {
		leave.(func())()
	}
}

// isRoot reports whether fr is a root: a frame that belongs to no program, and is the caller of functions that are
// called from outside their program.
func isRoot(fr *frame) bool { return field[*ixgo.Interp](unsafe.Pointer(fr), layout.interp) == nil }
