package ixengine

import (
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// Go and defer statements in register code. The call that such a statement prepares is a laterCall.
//
// A function that defers in a loop keeps the list of its deferred calls in a P register, and runs them before
// it returns, as calls like any other. Other functions need no list; see fast_planned.go. If the function
// panics instead, or its goroutine ends, the calls are handed over to an interpreter's frame. The interpreter
// then runs the calls, and the rest of the function after a recovered panic.

// A laterForm describes the calls that one go or defer statement prepares. They call a function of the program, a func
// value, the builtin close, or a compiled function. Accordingly, exactly one of own, isValue, closes and callee is set.
type laterForm struct {
	*fastProgram
	own     *fastFunc
	form    *callForm // of the program's function
	isValue bool
	closes  bool
	callee  *rt.Callee // its arguments and results are in the first registers of a laterCall
	takes   bool       // callee may call functions
	n, p    int        // numbers of registers of callee

	argN, argP []uint16 // the registers of the arguments and, after them, of the captured values
	value      uint16   // the register of the func value
	valueType  rt.Type  // an unnamed func type
}

// A laterCall is a call that has been deferred, or that a new goroutine makes.
type laterCall struct {
	regcode.Closure // N and P hold the arguments; Func is set only if form.own is
	next            *laterCall
	form            *laterForm
	value           unsafe.Pointer // the func value
	// Storage for N and P, if it is large enough.
	roomN [2]uint64
	roomP [4]unsafe.Pointer
}

// If a function defers, the interpreter's frame for it holds, in its last slots, the function's fastFunc and the N and
// P registers of the call. The registers are there only while they may contain deferred calls.
type (
	deferNumbers  regcode.N
	deferPointers regcode.P
)

const deferSlots = 3

// prepareDefers makes f execute its defer statements in register code, if register code can execute all of them.
func (f *fastFunc) prepareDefers() {
	if f.f.Recover == nil {
		return
	}
	forms := map[*ssa.Defer]*laterForm{}
	for _, b := range f.f.Blocks {
		for _, in := range b.Instrs {
			in, ok := in.(*ssa.Defer)
			if !ok {
				continue
			}
			if in.DeferStack != nil {
				return
			}
			if forms[in] = f.laterForm(&in.Call); forms[in] == nil {
				return
			}
		}
	}
	f.defers, f.planned = forms, planDefers(f.f, forms)
	initial := field[[]any](f.fn, layout.initial)
	setField(f.fn, layout.initial, append(initial[:len(initial):len(initial)], f, (*deferNumbers)(nil), (*deferPointers)(nil)))
	f.instrs = append(f.instrs[:len(f.instrs):len(f.instrs)], rethrow)
	setField(f.fn, layout.instrs, f.instrs)
}

// laterForm returns the laterForm of a go or defer statement with the given call. The registers in the result are not
// set yet. The result is nil if only the interpreter can execute the statement.
func (f *fastFunc) laterForm(call *ssa.CallCommon) *laterForm {
	if call.IsInvoke() {
		return nil
	}
	d := &laterForm{fastProgram: f.fastProgram}
	switch callee := call.Value.(type) {
	case *ssa.Builtin:
		if d.closes = callee.Name() == "close"; !d.closes {
			return nil
		}
		return d
	case *ssa.MakeClosure:
		d.own = f.known[callee.Fn.(*ssa.Function)]
	case *ssa.Function:
		if callee.Blocks == nil {
			return f.laterCompiled(call, callee, d)
		}
		d.own = f.known[callee]
	default:
		if f.passesBoxes(call) {
			return nil
		}
		d.isValue, d.valueType = true, rt.TypeWord(f.rtype(call.Value.Type().Underlying()))
		return d
	}
	if d.own == nil {
		return nil
	}
	if d.form = d.own.form(); d.form == nil {
		return nil
	}
	return d
}

// laterCompiled completes and returns d, for a statement that calls the compiled function callee. It returns nil if
// only the interpreter can execute the statement.
func (f *fastFunc) laterCompiled(call *ssa.CallCommon, callee *ssa.Function, d *laterForm) *laterForm {
	var t reflect.Type
	if d.callee, t = f.calleeOf(call, callee); d.callee == nil || len(contextArgs(call, &registers{index: f.index, ok: true})) > 0 || f.session.handsOut(call) {
		return nil
	}
	d.spread(d.callee, t)
	d.n = max(len(d.callee.ArgN), len(d.callee.ResN))
	d.p = max(len(d.callee.ArgP), len(d.callee.ResP))
	d.takes = takesFunc(callee.Signature)
	return d
}

// cannotDefer compiles a defer statement that register code cannot execute. It leaves the statement to the
// interpreter, if the interpreter executes all defer statements of the function. Otherwise the function gets no
// register code, because the two kinds of deferred calls cannot be mixed.
func (c *fastCompiler) cannotDefer(in *ssa.Defer) {
	if c.defers != nil {
		c.refuse("%v mixes with calls that are deferred in registers", in)
	}
	c.leave(in)
}

// deferCall compiles a defer statement.
func (c *fastCompiler) deferCall(in *ssa.Defer) bool {
	if c.planned != nil {
		c.arm(in)
		return true
	}
	d := c.defers[in]
	if d == nil || !c.place(d, &in.Call) {
		return false
	}
	list := c.deferred
	c.help(func(n *regcode.N, p *regcode.P) bool {
		call := d.prepare(n, p)
		call.next = (*laterCall)(p[list])
		p[list] = unsafe.Pointer(call)
		return true
	}, c.site(in))
	return true
}

// goStatement compiles a go statement.
func (c *fastCompiler) goStatement(in *ssa.Go) bool {
	d := c.laterForm(&in.Call)
	if d == nil || !c.place(d, &in.Call) {
		return false
	}
	s := c.session
	c.emit(regcode.Op{Code: regcode.OpDo, To: c.ownSite(in, func(_ here, n *regcode.N, p *regcode.P) bool {
		call := d.prepare(n, p)
		if d.isValue && call.value == nil {
			panic(ixgo.RuntimeError("go of nil func value"))
		}
		g := s.newGoroutine(in.Pos())
		go s.runGoroutine(g, d.interp, func(root *frame) {
			if call.isOwn() {
				call.inFrame(root)
			} else {
				call.callOutside()
			}
		})
		return true
	})})
	return true
}

// place stores the registers of the call's arguments in d. It returns false if one of these values cannot be in
// registers.
func (c *fastCompiler) place(d *laterForm, call *ssa.CallCommon) bool {
	args := call.Args
	if mc, ok := call.Value.(*ssa.MakeClosure); ok {
		args = append(slices.Clip(args), mc.Bindings...)
	}
	if !c.has(args...) || d.isValue && !c.has(call.Value) {
		return false
	}
	for _, v := range args {
		d.argN, d.argP = c.split(v, d.argN, d.argP)
	}
	if d.isValue {
		d.value = c.reg(call.Value)
	}
	return true
}

// prepare returns a call of this form, with its current arguments, which are in the registers n and p.
func (d *laterForm) prepare(n *regcode.N, p *regcode.P) *laterCall {
	call := &laterCall{form: d}
	if room := max(d.n, len(d.argN)); room <= len(call.roomN) {
		call.N = call.roomN[:room:room]
	} else {
		call.N = make([]uint64, room)
	}
	if room := max(d.p, len(d.argP)); room <= len(call.roomP) {
		call.P = call.roomP[:room:room]
	} else {
		call.P = make([]unsafe.Pointer, room)
	}
	for i, r := range d.argN {
		call.N[i] = n[r]
	}
	for i, r := range d.argP {
		call.P[i] = p[r]
	}
	switch {
	case d.own != nil:
		call.Func = &d.own.Func
	case d.isValue:
		call.value = p[d.value]
	}
	return call
}

// runDefers compiles the execution of the deferred calls.
func (c *fastCompiler) runDefers(in *ssa.RunDefers) bool {
	switch {
	case c.defers == nil:
		return false
	case c.planned != nil:
		for _, d := range slices.Backward(c.planned) {
			c.runPlanned(in, d)
		}
		return true
	}
	list, running, more := c.deferred, c.deferred+1, c.temp(false, 0)
	begin := int32(len(c.code.Ops))
	c.help(func(n *regcode.N, p *regcode.P) bool {
		call := (*laterCall)(p[list])
		n[more] = truth(call != nil)
		p[running] = unsafe.Pointer(call)
		if call != nil {
			p[list] = unsafe.Pointer(call.next)
		}
		return true
	}, c.site(in))
	branch := c.emit(regcode.Op{Code: regcode.OpIf, A: more})
	c.code.Ops[branch].To = branch + 1
	c.code.Calls = append(c.code.Calls, regcode.Call{Closure: func(call unsafe.Pointer) *regcode.Closure { return (*laterCall)(call).closure() }})
	c.emit(regcode.Op{Code: regcode.OpCallFunc, A: running, Or: int32(len(c.code.Calls) - 1), To: c.ownSite(in, func(at here, n *regcode.N, p *regcode.P) bool {
		(*laterCall)(p[running]).execute(at, n, p)
		return true
	})})
	c.emit(regcode.Op{Code: regcode.OpJump, To: begin})
	c.code.Ops[branch].Or = int32(len(c.code.Ops))
	return true
}

// execute makes a deferred call that register code cannot make; at is the call's site.
func (call *laterCall) execute(at here, n *regcode.N, p *regcode.P) {
	if call.isOwn() {
		call.inFrame(at.frame())
		return
	}
	o := &outsideCall{fastProgram: call.form.fastProgram, isQuick: true, deferred: true}
	o.do(at, n, p, call.callOutside)
}

// closure returns the function to call and all of its arguments. It returns nil if register code cannot call the
// function.
func (call *laterCall) closure() *regcode.Closure {
	d := call.form
	if d.own != nil {
		if !d.own.ready() {
			return nil
		}
		return &call.Closure
	}
	if !d.isValue {
		return nil
	}
	c := closureOf(call.value)
	if c == nil || c.fn.session != d.session || !c.fn.ready() {
		return nil
	}
	return &regcode.Closure{Func: c.Closure.Func, N: append(call.N, c.N...), P: append(call.P, c.P...)}
}

// isOwn reports whether the interpreter can execute the call in the program that prepared it.
func (call *laterCall) isOwn() bool {
	d := call.form
	c := closureOf(call.value)
	return d.own != nil || d.isValue && (call.value == nil || c != nil && c.fn.interp == d.interp)
}

// inFrame executes the call in the interpreter, with the caller fr. call.isOwn must be true.
func (call *laterCall) inFrame(fr *frame) {
	var c *fastClosure
	n, p := call.N, call.P
	if d := call.form; d.own != nil {
		k := d.form
		c = &fastClosure{fn: d.own}
		c.N, c.P = n[k.argN:], p[k.argP:]
	} else if c = closureOf(call.value); c == nil {
		panic(nilPointer) // the deferred call panics, not the defer statement
	}
	of := c.frame(fr, nil, n, p)
	runFrame(of)
	deleteFrame(c.fn.fn, fr, of)
}

// callOutside executes a call for which isOwn is false. This is a call of the builtin close, of a compiled function, or
// of a func value from outside the program.
func (call *laterCall) callOutside() {
	d := call.form
	if d.closes {
		rt.CloseChan(call.P[0])
		return
	}
	if !d.isValue {
		n, p := registersOf(call.N, call.P)
		d.callee.Call((*rt.Numbers)(n), (*rt.Pointers)(p))
		return
	}
	callee := rt.CalleeOf(reflect.ValueOf(rt.Any(d.valueType, call.value)))
	d.spread(callee, rt.TypeOf(d.valueType))
	n, p := registersOf(append(call.N, make([]uint64, len(callee.ResN))...), append(call.P, make([]unsafe.Pointer, len(callee.ResP))...))
	callee.Call((*rt.Numbers)(n), (*rt.Pointers)(p))
}

// spread sets the registers of callee, a function of type t: it takes its arguments from the first registers of N and
// P, and puts its results into the first registers too.
func (d *laterForm) spread(callee *rt.Callee, t reflect.Type) {
	count := func(types iter.Seq[reflect.Type], n, p *[]uint16) {
		for t := range types {
			for _, isP := range rt.LeavesOf(t) {
				if isP {
					*p = append(*p, uint16(len(*p)))
				} else {
					*n = append(*n, uint16(len(*n)))
				}
			}
		}
	}
	count(t.Ins(), &callee.ArgN, &callee.ArgP)
	count(t.Outs(), &callee.ResN, &callee.ResP)
}

// duringPanic executes, during a panic, a deferred call that handOver has moved to the frame fr.
func (call *laterCall) duringPanic(fr *frame) {
	switch d := call.form; {
	case d.session.stop.hasGivenUp():
	case call.isOwn():
		call.inFrame(fr)
	case d.isValue:
		d.session.handOverPanic(d.interp)(call.callOutside)
	case d.takes:
		hidePanic(d.interp)(call.callOutside)
	default:
		call.callOutside()
	}
}

// recordDefers records the registers of a call in its frame, so that handOver finds them.
func (f *fastFunc) recordDefers(fr *frame, n *regcode.N, p *regcode.P) {
	if f.defers != nil {
		stack := stackOf(fr)
		stack[len(stack)-2], stack[len(stack)-1] = (*deferNumbers)(n), (*deferPointers)(p)
	}
}

// hasDeferred reports whether the call with the given registers has deferred calls.
func (f *fastFunc) hasDeferred(n *regcode.N, p *regcode.P) bool {
	switch {
	case f.defers == nil:
		return false
	case f.planned != nil:
		return slices.ContainsFunc(f.planned, func(d *plannedDefer) bool { return n[d.state] == isArmed })
	}
	return p[f.deferList] != nil
}

// takeDeferred takes the list of deferred calls out of the registers of a call. If again is true, the list includes the
// deferred call that is running.
func (f *fastFunc) takeDeferred(n *regcode.N, p *regcode.P, again bool) *laterCall {
	if f.planned != nil {
		return f.takePlanned(n, p, again)
	}
	first := (*laterCall)(p[f.deferList])
	p[f.deferList] = nil
	if call := (*laterCall)(p[f.deferList+1]); again && call != nil {
		call.next = first
		first = call
	}
	return first
}

// handOver lets the interpreter execute the deferred calls that register code has collected for the call with the
// frame fr. It moves them to the frame, together with the values that the interpreter needs to continue the call. If
// again is true, handOver also moves the deferred call that is running.
func handOver(fr *frame, again bool) {
	stack := stackOf(fr)
	if len(stack) < deferSlots {
		return
	}
	pointers, ok := stack[len(stack)-1].(*deferPointers)
	if !ok || pointers == nil {
		return
	}
	f, n, p := stack[len(stack)-3].(*fastFunc), (*regcode.N)(stack[len(stack)-2].(*deferNumbers)), (*regcode.P)(pointers)
	first := f.takeDeferred(n, p, again)
	to := (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(fr), deferred))
	before := *to
	for call := first; call != nil; call = call.next {
		made := reflect.New(deferLayout.typ).UnsafePointer()
		setField[any](made, deferLayout.fn, func() {
			setField(unsafe.Pointer(fr), deferred, field[unsafe.Pointer](made, deferLayout.tail)) // see dropWhenRun
			forgetCallee(fr)
			call.duringPanic(fr)
		})
		*to = made
		to = (*unsafe.Pointer)(unsafe.Add(made, deferLayout.tail))
		*to = before
	}
	for _, x := range f.pinnedIn {
		stack[x.slot] = x.address(n, p)
	}
}

// A rethrown holds the value and the position of the panic that rethrow repeats. It is in the last slot of a frame
// that continues at rethrow.
type rethrown struct {
	value any
	ipc   int
}

// rethrow is an extra instruction at the end of each function that defers in register code. Executed by the
// interpreter, it repeats the panic that has ended the register code, at the instruction at which that panic arose.
func rethrow(fr *frame) {
	stack := stackOf(fr)
	r := stack[len(stack)-1].(*rethrown)
	stack[len(stack)-1] = (*deferPointers)(nil)
	setField(unsafe.Pointer(fr), layout.ipc, r.ipc)
	panic(r.value)
}

// runMachine runs m until its outermost call returns. Compiled code has begun that call. A panic goes to the innermost call
// that has deferred calls, and from there outward until it is recovered.
func (s *Session) runMachine(m *regcode.Machine) {
	for !s.runUntilPanic(m, 0) {
	}
}

// runEntered runs m until its first call returns. The interpreter has begun this call, with the frame fr. If the call
// panics, its deferred calls are handed over to that frame.
func (s *Session) runEntered(m *regcode.Machine, fr *frame) {
	returned := false
	defer func() {
		if !returned {
			handOver(fr, false) // the interpreter catches the panic
			shortenPanic(fr)
		}
	}()
	for !s.runUntilPanic(m, 1) {
	}
	returned = true
}

// runUntilPanic runs the calls of m until they have returned, or until a panic has been recovered in one of the calls
// whose index is not less than first. It reports whether the calls have returned.
func (s *Session) runUntilPanic(m *regcode.Machine, first int) (returned bool) {
	ended := false
	defer func() {
		if ended {
			return
		}
		setPosition(m)
		i := lastDeferring(m, first)
		if i < 0 && first > 0 && !crosses(m) {
			return
		}
		p := recover()
		for ; i >= 0 && !s.stop.hasGivenUp(); i = lastDeferring(m, first) {
			if p == nil { // the goroutine is ending
				handOver(frameOf(m, i), false)
				runAllDeferred(frameOf(m, i))
				continue
			}
			p = s.crossOver(m, i+1, p)
			if p = s.panicIn(m, i, p); p == nil {
				returned = m.Return()
				return
			}
		}
		if p = s.crossOver(m, first, p); p != nil {
			panic(p)
		}
	}()
	m.Run()
	ended = true
	return true
}

// setPosition makes the frames of m's calls, and records in the innermost frame which instruction it executes. If a bad
// address was accessed (which takes package unsafe), setPosition records the last site or, if there is none, the
// beginning of the function.
func setPosition(m *regcode.Machine) {
	act := m.Top()
	fr := frameOf(m, len(m.Stack)-1)
	f := act.Func.Host.(*fastFunc)
	if act.PC == 0 {
		i := slices.IndexFunc(field[[]ssa.Instruction](f.fn, layout.ssaInstrs), func(in ssa.Instruction) bool { return in != nil && in.Pos().IsValid() })
		setField(unsafe.Pointer(fr), layout.ipc, i+1)
	} else if i := act.Code.Ops[act.PC-1].To; i >= 0 && int(i) < len(f.sites) {
		setField(unsafe.Pointer(fr), layout.ipc, f.sites[i].at+1)
	}
}

// lastDeferring returns the index of the innermost call of m that has deferred calls, among the calls whose index is
// not less than first. It returns -1 if there is none.
func lastDeferring(m *regcode.Machine, first int) int {
	for i := len(m.Stack) - 1; i >= first; i-- {
		act := &m.Stack[i]
		if act.Func.Host.(*fastFunc).hasDeferred(act.N, act.P) {
			return i
		}
	}
	return -1
}

// panicIn lets the interpreter execute the deferred calls of call number i of m during the panic p. If p is
// recovered, the interpreter also executes the rest of the call; the results are then in the registers, and
// panicIn returns nil. Otherwise it returns the panic that continues.
func (s *Session) panicIn(m *regcode.Machine, i int, p any) (next any) {
	fr := frameOf(m, i)
	handOver(fr, false)
	shortenPanic(fr)
	m.Unwind(i)
	act := m.Top()
	f := act.Func.Host.(*fastFunc)
	stack := stackOf(fr)
	ipc := field[int](unsafe.Pointer(fr), layout.ipc)
	stack[len(stack)-1] = &rethrown{p, ipc}
	setField(unsafe.Pointer(fr), layout.ipc, len(f.instrs)-1)
	returned := false
	defer func() {
		if !returned {
			next = recover()
		}
	}()
	runFrame(fr)
	returned = true
	for _, r := range f.results {
		r.unbox(stack[r.slot], act.N, act.P)
	}
	return nil
}
