package native

import (
	"overcomplete/internal/wasm"
	rc "overcomplete/kernel/internal/regcode"
)

// Functions that only compute become functions of the module. Their parameters are the fuel, the remaining
// depth of calls, and the leaves of their arguments; their results are the leaves of their results and the
// remaining fuel. If the remaining fuel is negative, the call was abandoned for some reason, and the machine
// makes the call again.

// deepest is the maximum depth of calls. There is a maximum because an engine's stack is finite.
const deepest = 1000

// largest is the maximum total number of ops in the functions of a module.
const largest = 10_000

// A callee is a function of register code that is compiled into the module, because the module's code calls it.
type callee struct {
	code       *rc.Code
	region     *region
	classes    *classes
	argN, argP int
	resN, resP int
	f          *wasm.Func
	branches   exitBranches
}

// calls holds the functions that a region calls, directly or indirectly.
type calls struct {
	target *Target
	of     map[*rc.Func]*callee // nil if the function cannot be in the module
	list   []*callee
	size   int
	more   *wasm.Func // the function that returns more fuel; see Target
}

func newCalls(t *Target) *calls { return &calls{target: t, of: map[*rc.Func]*callee{}} }

// can reports whether the function called by k can be part of the module.
func (cs *calls) can(k *rc.Call) bool {
	c, seen := cs.of[k.Func]
	if !seen {
		c = cs.find(k)
	}
	return c != nil && c.argN == len(k.ArgN) && c.argP == len(k.ArgP) && c.resN == len(k.ResN) && c.resP == len(k.ResP)
}

// find returns the callee for the function called by k. It returns nil if the function does more than compute (it
// stores something, or has an op that cannot be emitted), is too large, or has no code yet. While a recursive function
// is being checked, it is assumed only to compute.
func (cs *calls) find(k *rc.Call) *callee {
	cs.of[k.Func] = nil
	code := k.Func.Code.Load()
	if code == nil {
		return nil
	}
	if in := inlineIn(code); in != nil {
		code = in.code
	}
	if cs.size+len(code.Ops) > largest {
		return nil
	}
	c := &callee{code: code, argN: len(k.ArgN), argP: len(k.ArgP), resN: len(k.ResN), resP: len(k.ResP)}
	cs.size += len(code.Ops)
	cs.of[k.Func] = c
	returns := false
	r, err := findWhole(code, func(at int32) bool {
		op := &code.Ops[at]
		if op.Code == rc.OpReturn {
			returns = true
			return true
		}
		return !shapes[op.Code].stores && cs.emits(op, code)
	})
	if err != nil || !returns {
		cs.of[k.Func] = nil
		return nil
	}
	c.region = r
	c.classes = findClasses(code, r.ops(), cs.classesOf)
	cs.list = append(cs.list, c)
	return c
}

// classesOf returns the classes of a function's registers, or nil while the classes are being determined.
func (cs *calls) classesOf(f *rc.Func) *classes {
	if c := cs.of[f]; c != nil {
		return c.classes
	}
	return nil
}

// begin declares the functions in the module m.
func (cs *calls) begin(m *wasm.Module) {
	cs.more = nil
	if cs.target.More != nil && len(cs.list) > 0 {
		cs.more = cs.target.More(m)
	}
	for _, c := range cs.list {
		params, results := []wasm.Type{wasm.I32, wasm.I32}, []wasm.Type{}
		params = c.types(params, c.argN, c.argP)
		results = append(c.types(results, c.resN, c.resP), wasm.I32)
		c.f = m.Func("function", params, results)
	}
}

// types appends the WebAssembly types of the first n N registers and of the first p P registers to list.
func (c *callee) types(list []wasm.Type, n, p int) []wasm.Type {
	for i := range n {
		list = append(list, types[c.classes.get(uint16(i))])
	}
	for range p {
		list = append(list, wasm.I64)
	}
	return list
}

// emit emits the code of the functions.
func (cs *calls) emit() {
	for _, c := range cs.list {
		e := &emitter{region: c.region, calls: cs, classes: c.classes, target: cs.target, f: c.f, callee: c, branches: c.branches}
		e.keptRegisters = e.findKept()
		e.exits = &exits{list: make([]exit, 1)} // all exits abandon the call
		e.enterFunction()
		e.branches.begin(1)
		e.leaving(0)
		c.branches = e.branches
	}
}

// enterFunction makes the parameters of a callee its first registers. It emits code that sets to nil the other P
// registers that are read before they are set.
func (e *emitter) enterFunction() {
	e.numbers, e.pointers, e.places = map[uint16]wasm.Local{}, map[uint16]wasm.Local{}, map[uint16]wasm.Local{}
	e.fuel, e.depth = e.f.Param(0), e.f.Param(1)
	for i := range e.callee.argN {
		e.numbers[uint16(i)] = e.f.Param(2 + i)
	}
	for i := range e.callee.argP {
		e.pointers[uint16(i)] = e.f.Param(2 + e.callee.argN + i)
	}
	for _, r := range unset(e.code, e.callee.argP) { // they are nil when a call begins
		e.f.Set(e.address(r), wasm.Int64(-int64(e.target.Base)))
	}
	e.makePlaces()
}

// beginFunction emits the body of a callee. It begins with checks of the fuel and of the depth of calls.
func (e *emitter) beginFunction() {
	e.burn(len(e.code.Ops), 0)
	e.f.BrIf(e.out(0), wasm.I32.Lt(e.depth, wasm.Int(0)))
	e.findHoists()
	e.known = e.findFacts(facts{}, e.hoists, e.hoisted)
	e.emitBlocks()
}

// burn emits code that uses up n units of fuel, and branches to exit k if no fuel is left. In a callee, the code first
// asks for more fuel, if the target can give more.
func (e *emitter) burn(n, k int) {
	e.f.Inc(e.fuel, -n)
	empty := wasm.I32.Lt(e.fuel, wasm.Int(0))
	if e.callee == nil || e.calls.more == nil {
		e.f.BrIf(e.out(k), empty)
		return
	}
	e.f.If(empty, func() {
		e.f.Set(e.fuel, wasm.Call(e.calls.more))
		e.f.BrIf(e.out(k), wasm.I32.Lt(e.fuel, wasm.Int(0)))
	})
}

// giveUp emits a return from a callee. Its last result, a remaining fuel of -1, tells the caller that the call is
// abandoned.
func (e *emitter) giveUp() {
	var zeros []wasm.Value
	for i := range e.callee.resN {
		zeros = append(zeros, types[e.classes.get(uint16(i))].Const(0))
	}
	for range e.callee.resP {
		zeros = append(zeros, wasm.Int64(0))
	}
	e.f.Return(append(zeros, wasm.Int(-1))...)
}

// giveResults emits a return from a callee with its results and the remaining fuel.
func (e *emitter) giveResults() {
	var results []wasm.Value
	for i := range e.callee.resN {
		results = append(results, e.get(uint16(i), e.classes.get(uint16(i))))
	}
	for i := range e.callee.resP {
		results = append(results, e.getP(uint16(i)))
	}
	e.f.Return(append(results, e.fuel)...)
}

// callOf emits the call k of a function of the module. If the function abandons the call, the module exits at the
// call.
func (e *emitter) callOf(k *rc.Call) {
	c := e.calls.of[k.Func]
	if c == nil { // a later check found that the callee does more than compute
		e.fail(wasm.Int(1))
		return
	}
	args := []wasm.Value{e.fuel, wasm.I32.Sub(e.depth, wasm.Int(1))}
	for i, n := range k.ArgN {
		args = append(args, e.get(n, c.classes.get(uint16(i))))
	}
	for _, n := range k.ArgP {
		args = append(args, e.getP(n))
	}
	var to []wasm.Local
	for i := range k.ResN {
		to = append(to, e.f.Local(types[c.classes.get(uint16(i))]))
	}
	for range k.ResP {
		to = append(to, e.f.Local(wasm.I64))
	}
	left := e.f.Local(wasm.I32)
	e.f.CallInto(append(to, left), c.f, args...)
	e.fail(wasm.I32.Lt(left, wasm.Int(0)))
	e.f.Set(e.fuel, left)
	for i, n := range k.ResN {
		e.set(n, to[i], c.classes.get(uint16(i)))
	}
	for i, n := range k.ResP {
		e.setP(n, to[len(k.ResN)+i], nil)
	}
}
