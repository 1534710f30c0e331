package ixengine

import (
	"go/types"
	"reflect"
	"slices"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/visualfc/funcval"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// Func values for functions of cells. The interpreter makes them with reflect.MakeFunc; calling one from
// compiled code takes a microsecond. Func values of functions that can have register code are made here. If
// package rt has a wrapper for the signature, the wrapper passes the arguments in registers; otherwise these
// too are made with reflect.MakeFunc. In both cases register code recognizes them and calls the function
// directly.

// A fastClosure is a function with its captured values.
type fastClosure struct {
	rt.Target // must be the first field: closureOf converts its address
	regcode.Closure
	fn *fastFunc
	// Storage for N and P, if it is large enough.
	roomN [2]uint64
	roomP [3]unsafe.Pointer
}

// A callForm says in which registers a call of a closure passes its arguments, captured values and results. In each of
// these three groups, the registers are numbered from 0.
type callForm struct {
	args, captured, results                          []*passage
	argN, argP, captureN, captureP, resultN, resultP int
	typ                                              reflect.Type
	wrap                                             rt.Wrapper
	result                                           rt.Type
}

// form returns f's callForm, or nil if a parameter, captured value or result has a type whose values cannot be in
// registers. The caller holds mu.
func (f *fastFunc) form() *callForm {
	if f.formed {
		return f.called
	}
	f.formed = true
	k := &callForm{typ: f.rtype(f.f.Type())}
	results := f.f.Signature.Results()
	slot := results.Len()
	list := func(values []ssa.Value, n, p *int) (list []*passage, ok bool) {
		var part counter
		for _, v := range values {
			sh := f.shapes.get(v.Type())
			if sh == nil {
				return nil, false
			}
			x := newPassage(sh, slot, part.take(sh), f.rtype(v.Type()))
			list = append(list, x)
			slot++
		}
		*n, *p = int(part.n), int(part.p)
		return list, true
	}
	var ok bool
	if k.args, ok = list(valuesOf(f.f.Params), &k.argN, &k.argP); !ok {
		return nil
	}
	if k.captured, ok = list(valuesOf(f.f.FreeVars), &k.captureN, &k.captureP); !ok {
		return nil
	}
	var part counter
	for i := range results.Len() {
		t := results.At(i).Type()
		sh := f.shapes.get(t)
		if sh == nil {
			return nil
		}
		k.results = append(k.results, newPassage(sh, i, part.take(sh), f.rtype(t)))
	}
	k.resultN, k.resultP = int(part.n), int(part.p)
	var model rt.Target
	if _, ok := rt.MakeFunc(k.typ, &model); ok {
		k.wrap, k.result = rt.WrapperOf(k.typ), model.Result
	}
	f.called = k
	return k
}

// A counter assigns the next free registers to the leaves of values: N registers to numbers, P registers to pointers.
type counter struct{ n, p uint16 }

func (c *counter) take(sh *shape) []uint16 {
	regs := make([]uint16, len(sh.leaves))
	for i, l := range sh.leaves {
		to := &c.n
		if l.isP() {
			to = &c.p
		}
		regs[i] = *to
		*to++
	}
	return regs
}

// given returns the inputs of a call: the parameters and the captured values.
func (f *fastFunc) given() []ssa.Value {
	return append(valuesOf(f.f.Params), valuesOf(f.f.FreeVars)...)
}

func valuesOf[V ssa.Value](list []V) []ssa.Value {
	values := make([]ssa.Value, len(list))
	for i, v := range list {
		values[i] = v
	}
	return values
}

// closure makes a closure of f. The caller must still set the registers that hold its captured values.
func (f *fastFunc) closure(k *callForm) *fastClosure {
	c := &fastClosure{fn: f, Closure: regcode.Closure{Func: &f.Func}}
	c.Run, c.Result = callFromCompiled, k.result
	if c.P = c.roomP[:min(k.captureP, len(c.roomP))]; k.captureP > len(c.roomP) {
		c.P = make([]unsafe.Pointer, k.captureP)
	}
	if c.N = c.roomN[:min(k.captureN, len(c.roomN))]; k.captureN > len(c.roomN) {
		c.N = make([]uint64, k.captureN)
	}
	return c
}

// value returns c as a func value.
func (c *fastClosure) value(k *callForm) unsafe.Pointer {
	if k.wrap != nil {
		return k.wrap(&c.Target)
	}
	return reflectClosure(k.typ, c)
}

// registers returns c's captured values as register files, with structs, strings and the like split into their parts.
func (c *fastClosure) registers() (*regcode.N, *regcode.P) { return registersOf(c.N, c.P) }

// reflectClosure returns c as a func value of type t, for which package rt has no wrapper. It must not be
// inlined: closureOf recognizes the function literal by its code address, and expects it to capture only c.
//
//go:noinline
func reflectClosure(t reflect.Type, c *fastClosure) unsafe.Pointer {
	v := reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		f := c.fn
		return callFunctionByReflect(f.interp, tryDeferFrame(f.interp), f.fn, f.called.typ, args, c.env())
	}).Interface()
	return dataOf(v)
}

//go:linkname callFunctionByReflect github.com/goplus/ixgo.(*Interp).callFunctionByReflect
func callFunctionByReflect(interp *ixgo.Interp, caller *frame, fn unsafe.Pointer, t reflect.Type, args []reflect.Value, env []any) []reflect.Value

// reflectedFunc is the memory layout of the function literal in reflectClosure.
type reflectedFunc struct {
	funcval.FuncVal
	c *fastClosure
}

var reflectedCode = func() uintptr {
	fn := reflectClosure(reflect.TypeFor[func()](), nil)
	inner, _ := funcval.Get(rt.Any(rt.TypeWord(reflect.TypeFor[func()]()), fn))
	return inner.Fn
}()

// closureOf returns the fastClosure behind the func value fn, or nil if there is none.
func closureOf(fn unsafe.Pointer) *fastClosure {
	if fn == nil {
		return nil
	}
	if t := rt.TargetOf(fn); t != nil {
		return (*fastClosure)(unsafe.Pointer(t))
	}
	inner, n := funcval.Get(rt.Any(rt.TypeWord(reflect.TypeFor[func()]()), fn))
	if n != 1 || inner.Fn != reflectedCode {
		return nil
	}
	return (*reflectedFunc)(unsafe.Pointer(inner)).c
}

// env returns the captured values of c as a slice of anys, the form that the interpreter uses.
func (c *fastClosure) env() []any {
	captured := c.fn.called.captured
	env := make([]any, len(captured))
	n, p := c.registers()
	for i, x := range captured {
		env[i] = x.box(n, p)
	}
	return env
}

// funcForm returns f's fastFunc and callForm. The callForm is nil if closures of f cannot be fastClosures.
func (p *fastProgram) funcForm(f *ssa.Function) (*fastFunc, *callForm) {
	ff := p.known[f]
	if ff == nil {
		return nil, nil
	}
	return ff, ff.form()
}

// makeClosures replaces the interpreter's instructions in f that make or store func values, so that these func values
// are fastClosures. The caller holds mu.
func (f *fastFunc) makeClosures() {
	values := f.functionValues()
	for i, in := range field[[]ssa.Instruction](f.fn, layout.ssaInstrs) {
		old := f.instrs[i]
		if i == 0 {
			old = f.first // not enter, which would run the function again
		}
		if do := f.makesClosure(in, values, old); do != nil {
			if f.instrs[i] = do; i == 0 {
				f.first, f.instrs[0] = do, f.enter
			}
		}
	}
}

// functionValues makes a fastClosure for each function that f uses as a value, where that is possible. It stores the
// func values among the initial values of f's frames, and returns them.
func (f *fastFunc) functionValues() map[ssa.Value]any {
	values := map[ssa.Value]any{}
	initial := field[[]any](f.fn, layout.initial)
	for v, slot := range f.index {
		g, ok := v.(*ssa.Function)
		if !ok {
			continue
		}
		if ff, k := f.funcForm(g); k != nil && k.captured == nil {
			values[v] = rt.Any(rt.TypeWord(k.typ), ff.closure(k).value(k))
			initial[slot&0xffffff] = values[v]
		}
	}
	return values
}

// makesClosure returns a replacement for old, the interpreter's form of the given instruction. The map of func values
// is the result of functionValues(). makesClosure returns nil if the instruction neither makes a closure nor uses a
// function that is in this map.
func (f *fastFunc) makesClosure(in ssa.Instruction, values map[ssa.Value]any, old instruction) instruction {
	if in, ok := in.(*ssa.MakeClosure); ok {
		return f.capture(in)
	}
	if len(values) == 0 {
		return nil
	}
	return f.constants(in, values, old)
}

// capture returns an interpreter instruction that makes the given closure as a fastClosure. It returns nil if that is
// impossible.
func (f *fastFunc) capture(in *ssa.MakeClosure) instruction {
	ff, k := f.funcForm(in.Fn.(*ssa.Function))
	if k == nil {
		return nil
	}
	r := &registers{index: f.index, ok: true}
	result, bindings := r.slotOf(in), r.list(in.Bindings)
	if !r.ok {
		return nil
	}
	typ := rt.TypeWord(k.typ)
	return func(fr *frame) {
		stack := stackOf(fr)
		c := ff.closure(k)
		n, p := c.registers()
		for i, x := range k.captured {
			x.unbox(stack[bindings[i]], n, p)
		}
		stack[result] = rt.Any(typ, c.value(k))
	}
}

// makeClosure compiles the given instruction, which makes a closure. The values that the closure captures are in
// registers.
func (c *fastCompiler) makeClosure(in *ssa.MakeClosure) bool {
	ff, k := c.funcForm(in.Fn.(*ssa.Function))
	if k == nil || !c.has(in) || !c.has(in.Bindings...) {
		return false
	}
	if onlyCalled(in) {
		return true // calls get the captured values themselves, so no closure is made here
	}
	var fromN, fromP []uint16
	for _, v := range in.Bindings {
		fromN, fromP = c.split(v, fromN, fromP)
	}
	d := c.reg(in)
	c.help(func(n *regcode.N, p *regcode.P) bool {
		made := ff.closure(k)
		for i, r := range fromN {
			made.N[i] = n[r]
		}
		for i, r := range fromP {
			made.P[i] = p[r]
		}
		p[d] = made.value(k)
		return true
	}, c.site(in))
	return true
}

// onlyCalled reports whether the closure that the given instruction makes is used only as the callee of calls.
func onlyCalled(in *ssa.MakeClosure) bool {
	for _, r := range *in.Referrers() {
		call, ok := r.(ssa.CallInstruction)
		if !ok || call.Common().Value != ssa.Value(in) || slices.Contains(call.Common().Args, ssa.Value(in)) {
			return false
		}
	}
	return true
}

// split appends the registers of v to n (registers of numbers) and to p (registers of pointers).
func (c *fastCompiler) split(v ssa.Value, n, p []uint16) ([]uint16, []uint16) {
	return c.shapes.get(v.Type()).split(c.all(v), n, p)
}

// split appends regs, the registers of a value, to two lists: the registers of numbers to n, and those of pointers to
// p.
func (sh *shape) split(regs, n, p []uint16) ([]uint16, []uint16) {
	for i, l := range sh.leaves {
		if l.isP() {
			p = append(p, regs[i])
		} else {
			n = append(n, regs[i])
		}
	}
	return n, p
}

// callClosure returns an instruction that makes the given call. If the called func value is a closure of interp's
// program, the instruction executes the function in interp; otherwise it executes the interpreter's instruction, old.
func (s *Session) callClosure(interp *ixgo.Interp, in *ssa.Call, r *registers, old instruction) instruction {
	switch in.Call.Value.(type) {
	case *ssa.Function, *ssa.Builtin, *ssa.MakeClosure:
		return old
	}
	if in.Call.IsInvoke() {
		return old
	}
	value, args := r.slotOf(in.Call.Value), r.list(in.Call.Args)
	result := register(r.index[in] & 0xffffff) // unused if there is no result
	versions := &s.loader.versions
	var faces []int // the arguments whose types are interfaces with methods
	for i, a := range in.Call.Args {
		if t, ok := a.Type().Underlying().(*types.Interface); ok && t.NumMethods() > 0 {
			faces = append(faces, i)
		}
	}
	fitArgs := func(stack []any) {
		for _, i := range faces {
			if at := &stack[args[i]]; *at != nil {
				*at = fit(*at, toType(interp, in.Call.Args[i].Type()))
			}
		}
	}
	return func(fr *frame) { // recursions need little of the stack here
		v := stackOf(fr)[value]
		if c := closureOf(dataOf(v)); c != nil && c.fn.interp == interp {
			callFunctionByStackWithEnv(interp, fr, c.fn.fn, result, args, c.env())
			return
		}
		if versions.some != 0 && faces != nil {
			fitArgs(stackOf(fr))
		}
		old(fr)
	}
}

//go:linkname callFunctionByStackWithEnv github.com/goplus/ixgo.(*Interp).callFunctionByStackWithEnv
func callFunctionByStackWithEnv(interp *ixgo.Interp, caller *frame, fn unsafe.Pointer, result register, args []register, env []any)
