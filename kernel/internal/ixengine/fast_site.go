package ixengine

import (
	"go/types"
	"sync/atomic"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/visualfc/gid"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/internal/regcode"
)

// Sites are instructions that register code leaves to the interpreter. To execute a site, its operands are
// put into the call's interpreter frame, which is made if there is none yet. Then the interpreter's own
// function runs, and the result is read from the frame.

// A fastSite is an instruction that register code may leave to the interpreter.
type fastSite struct {
	in ssa.Instruction
	at int // index in the function's instructions
	// panics is set if register code cannot continue after the instruction, because the interpreter executes
	// it only to panic.
	panics bool
	// The function in own, if it is not nil, executes the instruction in place of the interpreter. It reports whether
	// it has done so.
	own    ownSite
	passed atomic.Pointer[sitePassages] // made on the first execution
}

// An ownSite is a function that executes the instruction of a site in place of the interpreter. It gets the site (at)
// and the registers of the call. It returns false if the interpreter must execute the instruction.
type ownSite func(at here, n *regcode.N, p *regcode.P) bool

// A here is the site that the top call of a machine is executing.
type here struct {
	m    *regcode.Machine
	site *fastSite
}

// frame returns the interpreter's frame of the call that is at the site, and makes it if there is none yet. It sets
// the frame's position to the site.
func (at here) frame() *frame {
	fr := frameOf(at.m, len(at.m.Stack)-1)
	setField(unsafe.Pointer(fr), layout.ipc, at.site.at+1)
	return fr
}

type sitePassages struct {
	in   []*passage
	out  *passage
	outs []*passage // passages of a tuple's components
}

//go:linkname allocFrame github.com/goplus/ixgo.(*function).allocFrame
func allocFrame(fn unsafe.Pointer, caller *frame) *frame

//go:linkname deleteFrame github.com/goplus/ixgo.(*function).deleteFrame
func deleteFrame(fn unsafe.Pointer, caller, fr *frame)

// tryDeferFrame returns the frame that is the caller when compiled code calls a function of a cell. It is the frame
// whose deferred calls the goroutine is running in interp, or else a new, empty frame.
//
//go:linkname tryDeferFrame github.com/goplus/ixgo.(*Interp).tryDeferFrame
func tryDeferFrame(interp *ixgo.Interp) *frame

// fastHost is the regcode.Host of all machines.
type fastHost struct{}

func (fastHost) Do(m *regcode.Machine, i int32) {
	act := m.Top()
	f := act.Func.Host.(*fastFunc)
	s := f.sites[i]
	at := here{m, s}
	if m.Full {
		f.session.full(m)
	}
	if s.own != nil && s.own(at, act.N, act.P) {
		return
	}
	fr := at.frame()
	x := s.passed.Load()
	if x == nil {
		x = f.passagesOf(s)
		s.passed.Store(x)
	}
	stack := stackOf(fr)
	for _, a := range x.in {
		stack[a.slot] = a.box(act.N, act.P)
	}
	if s.at == 0 {
		f.first(fr) // the instruction that the register code replaced
	} else {
		f.instrs[s.at](fr)
	}
	if s.panics {
		panic("ixengine: a number, pointer or slice changed while it was used: a data race")
	}
	if x.out != nil {
		x.out.unbox(stack[x.out.slot], act.N, act.P)
	}
	if x.outs != nil {
		tuple := *(*[]any)(dataOf(stack[x.outs[0].slot]))
		for k, o := range x.outs {
			o.unbox(tuple[k], act.N, act.P)
		}
	}
}

// Left releases the frame of a call that has returned.
func (fastHost) Left(act *regcode.Activation) {
	f := act.Func.Host.(*fastFunc)
	fr := (*frame)(act.Frame)
	caller := callerOf(fr)
	if isRoot(caller) {
		f.session.leaveSegment(fr)
	}
	f.recordDefers(fr, nil, nil)
	deleteFrame(f.fn, caller, fr)
}

// frameOf returns the frame of call number i of m. It makes that frame and the frames of the earlier calls if
// they do not exist. It is iterative because there may be thousands of calls.
func frameOf(m *regcode.Machine, i int) *frame {
	first := i
	for first > 0 && m.Stack[first].Frame == nil {
		first--
	}
	for k := first; k <= i; k++ {
		if m.Stack[k].Frame == nil {
			makeFrame(m, k)
		}
	}
	return (*frame)(m.Stack[i].Frame)
}

// makeFrame makes the frame of call number i of m. The earlier calls must have frames.
func makeFrame(m *regcode.Machine, i int) {
	act := &m.Stack[i]
	f := act.Func.Host.(*fastFunc)
	caller := callerIn(m, i)
	fr := allocFrame(f.fn, caller)
	act.Frame = unsafe.Pointer(fr)
	if isRoot(caller) {
		if leave := f.session.segmented(caller); leave != nil {
			f.session.segments.Store(fr, leave)
		}
	}
	stack := stackOf(fr)
	for _, a := range f.params {
		stack[a.slot] = a.box(act.N, act.P)
	}
	f.recordDefers(fr, act.N, act.P)
}

// callerIn returns the frame of the caller of call number i of m, with its position set to the call. If compiled code
// or another program has made the call, callerIn returns a frame from tryDeferFrame.
func callerIn(m *regcode.Machine, i int) *frame {
	if i == 0 {
		return tryDeferFrame(m.Stack[0].Func.Host.(*fastFunc).interp)
	}
	above := &m.Stack[i-1]
	fr := (*frame)(above.Frame)
	f := above.Func.Host.(*fastFunc)
	at := f.sites[above.Code.Ops[above.PC-1].To].at
	setField(unsafe.Pointer(fr), layout.ipc, at+1)
	if of := m.Stack[i].Func.Host.(*fastFunc); of.fastProgram != f.fastProgram {
		return tryDeferFrame(of.interp) // use a new root, as if compiled code had made the call
	}
	return fr
}

// passagesOf returns the passages of the operands and results of a site.
func (f *fastFunc) passagesOf(s *fastSite) *sitePassages {
	x := &sitePassages{}
	for _, o := range operandsOf(s.in) {
		regs, ok := f.values[o]
		slot, known := f.index[o]
		if !ok || !known || f.inFrame[o] {
			continue // a constant, a function, or a value already in the frame
		}
		x.in = append(x.in, f.passage(o, regs, slot))
	}
	v, ok := s.in.(ssa.Value)
	if !ok {
		return x
	}
	regs, ok := f.values[v]
	slot, known := f.index[v]
	if !ok || !known {
		return x
	}
	sh := f.shapes.get(v.Type())
	if len(sh.parts) == 0 || !isTuple(v) {
		x.out = f.passage(v, regs, slot)
		return x
	}
	for k, part := range sh.parts {
		t := f.rtype(v.Type().(*types.Tuple).At(k).Type())
		x.outs = append(x.outs, newPassage(part, int(slot&0xffffff), sh.partIn(k, regs), t))
	}
	return x
}

// operandsOf returns the values that the interpreter needs to execute an instruction. For a direct call of a closure,
// they include the values that the closure captures.
func operandsOf(in ssa.Instruction) (list []ssa.Value) {
	var buf [8]*ssa.Value
	for _, o := range in.Operands(buf[:0]) {
		if *o != nil {
			list = append(list, *o)
		}
	}
	if call, ok := in.(ssa.CallInstruction); ok {
		if c, ok := call.Common().Value.(*ssa.MakeClosure); ok {
			list = append(list, c.Bindings...)
		}
	}
	return list
}

// full is called when m has no room for another call. It ends the recursion that has filled m. Nothing else notices the
// recursion, because register code uses little of the goroutine's stack. full may return, for example while a goroutine
// that is being stopped runs its deferred calls. The interpreter then makes the next call, which gets another machine.
func (s *Session) full(m *regcode.Machine) {
	m.Full = false
	if _, ending := s.stop.ending.Load(gid.Get()); ending { // a deferred call of a goroutine that is ending recurses too
		s.stop.giveUp()
		panic(stopSignal{stackOverflow})
	}
	g := s.stop.self()
	if g == nil { // compiled code has started the goroutine
		forgetMiddle(m)
		setPosition(m)
		s.overflow(frameOf(m, len(m.Stack)-1))
	} else {
		s.stop.stopDeep(g.run, g.main)
		if why, _ := s.stop.mustStop(g); why != "" {
			forgetMiddle(m)
			s.stop.panicWith(why, frameOf(m, len(m.Stack)-1))
		}
	}
	s.tooDeep(frameOf(m, len(m.Stack)-1))
}

// forgetMiddle removes the calls in the middle of m, and keeps at least 64 at each end. The caller must make sure that
// the removed calls never return. The removal saves memory: with an interpreter's frame for each call, the frames would
// take more memory than the calls themselves. If one of the calls in the middle may have deferred calls, forgetMiddle
// removes nothing.
func forgetMiddle(m *regcode.Machine) {
	const kept = 64 // at each end
	from, end := kept, len(m.Stack)-kept
	for from < end && m.Stack[from].Frame != nil {
		from++
	}
	for _, act := range m.Stack[from:max(from, end)] {
		if act.Func.Host.(*fastFunc).f.Recover != nil {
			return
		}
	}
	if from < end {
		m.Forget(from, end)
	}
}
