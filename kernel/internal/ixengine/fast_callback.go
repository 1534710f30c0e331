package ixengine

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/goplus/reflectx"

	"overcomplete/kernel/internal/entrypoints"
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

// Methods of a cell's types that compiled code calls through interfaces: Less for sort.Sort, Write for
// fmt.Fprintf. The interpreter's entry points for methods call them through reflection, which takes more than a
// microsecond. Methods whose signature has a wrapper in package rt are entered like func values: see
// callFromCompiled.

// A valueMethod is what compiled code calls for a method with a value receiver. Compiled code passes the address of the
// receiver; the field called receiver describes the value at this address.
type valueMethod struct {
	fastClosure // must be the first field: callValueMethod converts its address
	receiver    *passage
}

// madeMethods collects the methods that the interpreter gives to the types that it makes.
type madeMethods struct {
	mu   sync.Mutex
	list []madeMethod
}

type madeMethod struct {
	of reflect.Type
	reflectx.Method
}

func (l *madeMethods) add(t reflect.Type, m reflectx.Method) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, madeMethod{t, m})
}

func (l *madeMethods) take() []madeMethod {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.list
	l.list = nil
	return list
}

// enterMethods lets compiled code that calls one of the given methods enter the method's register code directly,
// without reflection. The given methods belong to types that the program has made. The caller holds mu.
func (p *fastProgram) enterMethods(made []madeMethod) {
	if len(made) == 0 {
		return
	}
	type key struct {
		of   reflect.Type
		name string
	}
	declared := map[key]*fastFunc{}
	for f, ff := range p.known {
		if recv := f.Signature.Recv(); ff != nil && recv != nil && (f.Synthetic == "" || strings.HasPrefix(f.Synthetic, "instance of ")) {
			of := toType(p.interp, recv.Type())
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			declared[key{of, f.Name()}] = ff
		}
	}
	for _, m := range made {
		if ff := declared[key{m.of, m.Name}]; ff != nil {
			for _, e := range entrypoints.Of(m.Func) {
				ff.enterBy(e)
			}
		}
	}
}

// enterBy makes calls of the entry point e run the method f. It does so only if all arguments and results can be in
// registers and package rt has a wrapper for f's signature.
func (f *fastFunc) enterBy(e *entrypoints.Entry) {
	k := f.form()
	if k == nil {
		return
	}
	in := []reflect.Type{reflect.TypeFor[unsafe.Pointer]()}
	for _, x := range k.args[1:] {
		in = append(in, x.rtype)
	}
	var out []reflect.Type
	for _, x := range k.results {
		out = append(out, x.rtype)
	}
	c := f.closure(k)
	target := &c.Target
	if !e.IsWord() {
		m := &valueMethod{fastClosure: *c, receiver: k.args[0]}
		m.Run = callValueMethod
		target = &m.Target
	}
	if fn, ok := rt.MakeFunc(reflect.FuncOf(in, out, false), target); ok {
		e.Set(fn)
	}
}

// callValueMethod runs when compiled code calls a method with a value receiver. p[0] is the address of the receiver.
func callValueMethod(t *rt.Target, n []uint64, p []unsafe.Pointer) {
	m := (*valueMethod)(unsafe.Pointer(t))
	if p[0] == nil {
		panic(nilReceiver(m.receiver.rtype, m.fn.f.Name()))
	}
	m.callFromCompiled(m.receiver, n, p)
}
