package ixengine

import (
	"go/token"
	"go/types"
	"math"
	"sync/atomic"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// How typed code calls functions: functions of package math that take and return
// floats, and functions of cells that take numbers, return one number, and have no
// visible effects: they store nowhere and call only such functions.
//
// If typed code cannot do something in a call (the flag to stop is up, the function has been
// declared again, something panics, or a part of the function is not suited to typed code),
// the whole call is abandoned, however deep it has got: nothing has been changed, and the
// interpreter does the call from the beginning, with its usual frames, checks and panics. So
// that calls that are always abandoned cost little, each abandonment doubles the number of
// times that the call is left to the interpreter.

// A pureFunc is a function that typed code can call.
type pureFunc struct {
	code   typedCode
	values []eface // its constants and the addresses of variables
	ready  bool    // false if it turned out not to be pure
}

// pures are the pure functions of one program.
type pures struct {
	funcs map[*ssa.Function]unsafe.Pointer
	known map[*ssa.Function]*pureFunc
}

// A typedCall is a call of a function by typed code.
type typedCall struct {
	f    *pureFunc
	args []uint16
	// Counts of calls by the interpreter's frames: how many will not be tried, and how many
	// were not tried after the last abandonment.
	skip, skipped atomic.Int32
}

const (
	returned     = -1    // what steps says at a return
	deepestTyped = 10000 // calls within calls; each takes some 500 bytes of stack
	skipFirst    = 8
	skipLongest  = 1 << 16
	pureRegs     = 16
	morePureRegs = 64
)

// do calls the function; ok is false if the call has been abandoned.
//
//go:norace
func (k *typedCall) do(r []uint64, depth int) (result uint64, ok bool) {
	if depth > 0 {
		return k.f.call(r, k.args, depth)
	}
	if k.skip.Load() > 0 {
		k.skip.Add(-1)
		return 0, false
	}
	if result, ok = k.f.call(r, k.args, 0); ok {
		return result, true
	}
	n := min(max(2*k.skipped.Load(), skipFirst), skipLongest)
	k.skipped.Store(n)
	k.skip.Store(n)
	return 0, false
}

//go:norace
func (f *pureFunc) call(r []uint64, args []uint16, depth int) (uint64, bool) {
	if !f.ready || depth >= deepestTyped {
		return 0, false
	}
	if f.code.size > pureRegs {
		return f.callLarge(r, args, depth)
	}
	var w [pureRegs]uint64
	for i, a := range args {
		w[i] = r[a]
	}
	for _, k := range f.code.consts {
		w[k.reg] = k.bits
	}
	exit := f.code.steps(f.values, w[:], 0, depth+1)
	return w[0], exit == returned
}

//go:norace
func (f *pureFunc) callLarge(r []uint64, args []uint16, depth int) (uint64, bool) {
	var w [morePureRegs]uint64
	for i, a := range args {
		w[i] = r[a]
	}
	for _, k := range f.code.consts {
		w[k.reg] = k.bits
	}
	exit := f.code.steps(f.values, w[:], 0, depth+1)
	return w[0], exit == returned
}

var math1 = map[string]func(float64) float64{
	"Abs": math.Abs, "Acos": math.Acos, "Acosh": math.Acosh, "Asin": math.Asin, "Asinh": math.Asinh, "Atan": math.Atan, "Atanh": math.Atanh,
	"Cbrt": math.Cbrt, "Ceil": math.Ceil, "Cos": math.Cos, "Cosh": math.Cosh, "Erf": math.Erf, "Erfc": math.Erfc, "Erfinv": math.Erfinv,
	"Exp": math.Exp, "Exp2": math.Exp2, "Expm1": math.Expm1, "Floor": math.Floor, "Gamma": math.Gamma, "Log": math.Log, "Log10": math.Log10,
	"Log1p": math.Log1p, "Log2": math.Log2, "Round": math.Round, "RoundToEven": math.RoundToEven, "Sin": math.Sin, "Sinh": math.Sinh,
	"Sqrt": math.Sqrt, "Tan": math.Tan, "Tanh": math.Tanh, "Trunc": math.Trunc,
}

var math2 = map[string]func(x, y float64) float64{
	"Atan2": math.Atan2, "Copysign": math.Copysign, "Dim": math.Dim, "Hypot": math.Hypot, "Max": math.Max, "Min": math.Min, "Mod": math.Mod,
	"Pow": math.Pow, "Remainder": math.Remainder,
}

// inMath returns f as a function of package math, if it is one that typed code can
// call.
func inMath(f *ssa.Function) (func(float64) float64, func(x, y float64) float64) {
	if f.Pkg == nil || f.Pkg.Pkg.Path() != "math" || f.Blocks != nil {
		return nil, nil
	}
	return math1[f.Name()], math2[f.Name()]
}

// canCall reports whether typed code can do the call in.
func (t *typer) canCall(in *ssa.Call) bool {
	f, ok := in.Call.Value.(*ssa.Function)
	if !ok || !isNumber(in) || !t.known(in) || !t.known(in.Call.Args...) {
		return false
	}
	if f1, f2 := inMath(f); f1 != nil || f2 != nil {
		return true
	}
	return t.pures.of(f) != nil
}

// mayGiveUp reports whether in is a call that may be abandoned. The interpreter
// continues after such a call, so the values that it needs then must be in its frame.
func (t *typer) mayGiveUp(in ssa.Instruction) bool {
	call, ok := in.(*ssa.Call)
	if !ok {
		return false
	}
	f, ok := call.Call.Value.(*ssa.Function)
	if !ok {
		return false
	}
	f1, f2 := inMath(f)
	return f1 == nil && f2 == nil
}

// call makes the ops of in, instruction i of s's block.
func (c *compiler) call(s *segment, i int, in *ssa.Call) {
	f := in.Call.Value.(*ssa.Function)
	f1, f2 := inMath(f)
	switch {
	case f1 != nil:
		c.code.math1 = append(c.code.math1, f1)
		c.emit(op{code: opCall1, d: c.reg(in), a: c.reg(in.Call.Args[0]), to: int32(len(c.code.math1) - 1)})
		return
	case f2 != nil:
		c.code.math2 = append(c.code.math2, f2)
		c.emit(op{code: opCall2, d: c.reg(in), a: c.reg(in.Call.Args[0]), b: c.reg(in.Call.Args[1]), to: int32(len(c.code.math2) - 1)})
		return
	}
	k := &typedCall{f: c.pures.of(f)}
	for _, a := range in.Call.Args {
		k.args = append(k.args, c.reg(a))
	}
	x := exit{}
	if !c.isPure {
		changed := append(set(nil), s.changed...)
		for _, before := range s.block.Instrs[s.from:i] {
			if v, ok := before.(ssa.Value); ok {
				if n, ok := c.number[v]; ok {
					changed.add(n)
				}
			}
		}
		at := c.at[in]
		x = exit{out: c.passages(and(changed, c.liveAt(s.block, i))), block: s.block, pred: -1, ipc: at + 1, fault: c.old[at], again: true}
	}
	c.code.calls = append(c.code.calls, k)
	c.emit(op{code: opCall, d: c.reg(in), a: uint16(len(c.code.calls) - 1), to: c.exit(x)})
}

// of returns f as a pure function, nil if it is not pure.
func (p *pures) of(f *ssa.Function) *pureFunc {
	if pf, ok := p.known[f]; ok {
		return pf
	}
	p.known[f] = nil
	fn := p.funcs[f]
	sig := f.Signature
	if fn == nil || len(f.Blocks) == 0 || len(f.Blocks) > 100 || f.Recover != nil || len(f.FreeVars) > 0 || len(f.TypeArgs()) > 0 || f.Synthetic != "" ||
		sig.Recv() != nil || sig.Variadic() || sig.Results().Len() != 1 || kindOf(sig.Results().At(0).Type()) == 0 || len(f.Params) > pureRegs/2 {
		return nil
	}
	t := newTyper(f, fn, p)
	if t == nil || len(t.old) > 2000 {
		return nil
	}
	for _, v := range f.Params {
		if !isNumber(v) || !t.known(v) {
			return nil
		}
	}
	t.isPure = true
	pf := &pureFunc{}
	p.known[f] = pf // it may call itself
	if !t.compilePure(pf) {
		p.known[f] = nil // code that refers to pf gives up
		return nil
	}
	initial := t.initial
	pf.values = *(*[]eface)(unsafe.Pointer(&initial))
	pf.ready = true
	return pf
}

// hookLoad returns the variable with a function that in loads to check whether it is
// nil.
func (t *typer) hookLoad(in ssa.Instruction) (load *ssa.UnOp, test *ssa.BinOp) {
	load, ok := in.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || len(*load.Referrers()) != 1 || !t.known(load.X) {
		return nil, nil
	}
	_, isGlobal := load.X.(*ssa.Global)
	_, isFunc := load.Type().Underlying().(*types.Signature)
	test, ok = (*load.Referrers())[0].(*ssa.BinOp)
	if !isGlobal || !isFunc || !ok || test.Block() != load.Block() || test.X != load || test.Op != token.NEQ || !t.known(test) {
		return nil, nil
	}
	if y, ok := test.Y.(*ssa.Const); !ok || y.Value != nil {
		return nil, nil
	}
	return load, test
}

// compilePure compiles the whole function; blocks that typed code cannot do become
// exits. It reports whether there is a path through.
func (t *typer) compilePure(pf *pureFunc) bool {
	f := t.fn
	t.findElements()
	hooks := map[ssa.Instruction]bool{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if load, test := t.hookLoad(in); load != nil {
				hooks[load], hooks[test] = true, true
			}
		}
	}
	t.starts, t.phis = make([]*segment, len(f.Blocks)), make([]bool, len(f.Blocks))
	returns := false
	for _, b := range f.Blocks {
		ok := true
		for i, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Phi:
				ok = ok && isNumber(in) && t.known(in) && t.known(in.Edges...)
			case *ssa.Store:
				ok = false
			case *ssa.Return:
				ok = ok && len(in.Results) == 1 && isNumber(in.Results[0]) && t.known(in.Results...)
				returns = returns || ok
			default:
				ok = ok && (hooks[in] || t.can(b, i))
			}
		}
		if ok {
			seg := &segment{block: b, to: len(b.Instrs), start: true, end: true}
			t.segs = append(t.segs, seg)
			t.starts[b.Index] = seg
		}
	}
	if !returns || t.starts[0] == nil {
		return false
	}
	t.findLive()
	c := &compiler{typer: t, code: &pf.code, regs: map[ssa.Value]uint16{}}
	for _, v := range f.Params { // the first registers
		c.regs[v] = c.temp()
	}
	zero := c.temp()
	c.code.consts = append(c.code.consts, typedConst{zero, 0})
	for _, s := range t.segs {
		s.changed, s.changedEnd, s.need = t.newSet(), t.newSet(), t.newSet()
		s.body = len(c.code.ops)
		for i, in := range s.block.Instrs {
			if load, ok := in.(*ssa.UnOp); ok && hooks[in] {
				c.regs[load] = c.temp()
				c.emit(op{code: opLoad64, d: c.regs[load], a: uint16(c.frame(load.X)), to: c.exit(exit{})})
				continue
			}
			if test, ok := in.(*ssa.BinOp); ok && hooks[in] {
				c.regs[test.Y] = zero
			}
			c.instr(s, i)
		}
	}
	for _, f := range c.fix {
		if f.isOr {
			c.code.ops[f.op].or = int32(f.to.body)
		} else {
			c.code.ops[f.op].to = int32(f.to.body)
		}
	}
	c.code.size = c.last
	return c.code.size <= morePureRegs && t.segs[0].body == 0
}
