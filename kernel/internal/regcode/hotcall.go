package regcode

import (
	"fmt"
	"log/slog"
	"sync/atomic"
)

// How calls get native code. A call that has been made often is compiled like a hot loop. If a call takes
// a long time, native code abandons it. Then the machine makes the call again, and runs the calls within
// that call natively.

// A hotCall is the run-time state of one of the calls in a Code.
type hotCall struct {
	turns uint32
	asked atomic.Bool
	run   atomic.Pointer[Native]
	// runs is the number of measured runs, vain is the number of measured runs that were abandoned, and ops is the
	// total number of ops executed in all measured runs.
	runs, vain int32
	ops        int
	tries      int32 // number of times that native code was removed
	// seen holds the first functions that a call of a func value has called. If the last entry is set, the call
	// may have called further functions.
	seen [mostCallees + 1]atomic.Pointer[Callee]
}

// mostCallees is the maximum number of functions, or of types, that native code of a call can distinguish.
const mostCallees = 8

// A Callee is a function that a call of a func value or of an interface method has called.
type Callee struct {
	Func   *Func
	Word   uint64  // the first word of the func value
	NN, NP int     // how many captured leaves are numbers, and how many are pointers
	Method *Method // the callee of an interface method call, or nil
}

func (h *hotCall) hasSeen(f *Func) bool {
	c := h.seen[0].Load()
	return c != nil && c.Func == f
}

// see records a call of a func value. word is the first word of the func value, and callee is the
// closure that was called.
func (h *hotCall) see(word uint64, callee *Closure) {
	for i := range h.seen {
		c := h.seen[i].Load()
		if c == nil && h.seen[i].CompareAndSwap(nil, &Callee{Func: callee.Func, Word: word, NN: len(callee.N), NP: len(callee.P)}) {
			return
		}
		if c = h.seen[i].Load(); c.Func == callee.Func && c.Word == word {
			return
		}
	}
}

// Callees returns the functions that the call c.Calls[i] has called so far. This must be a call of a func value or of
// an interface method. Callees returns nil if there are more than mostCallees functions.
func (c *Code) Callees(i int) (list []Callee) {
	if ms := c.Calls[i].Methods; ms != nil {
		for _, m := range ifFew(&ms.found) {
			list = append(list, Callee{Func: m.Func, Method: m})
		}
		return list
	}
	for _, f := range ifFew(&c.program().calls[i].seen) {
		list = append(list, *f)
	}
	return list
}

// tried is the number of runs of a call after which it is decided whether native code is worthwhile.
const tried = 64

// mostTries is the maximum number of times that a call of a func value or of an interface method gets native code. It
// gets new native code if it has called further functions.
const mostTries = 4

// length returns the number of ops of the largest function that the call at op i has called so far, or 0 if that is
// unknown.
func (c *Code) length(i int32) (n int) {
	op := &c.Ops[i]
	if op.Code == OpCallOf {
		if code := c.Calls[op.Or].Func.Code.Load(); code != nil {
			n = len(code.Ops)
		}
		return n
	}
	for _, callee := range c.Callees(int(op.Or)) {
		if code := callee.Func.Code.Load(); code != nil {
			n = max(n, len(code.Ops))
		}
	}
	return n
}

// countCall counts the call at op o of c, and has it compiled when it has been made often. It is called once
// every so many calls; see the constant named every.
//
//go:norace
func (m *Machine) countCall(c *Code, o *Op) {
	m.breathe()
	m.ticks++ // the call has not begun yet
	compiler, ok := NativeCompiler.(CallCompiler)
	p := c.program()
	h := &p.calls[o.Or]
	if !ok || Hot < 0 || h.asked.Load() {
		return
	}
	length := c.length(p.index(o))
	if length == 0 {
		return
	}
	h.turns += every
	switch {
	case Hot == 0 && c.Ops[p.index(o)].Code != OpCallOf && h.turns <= every:
	case Hot == 0:
		if h.asked.CompareAndSwap(false, true) {
			p.compileCall(compiler, c, p.index(o), h)
		}
	case int(h.turns)*length < Hot:
	case compiling.CompareAndSwap(false, true):
		if !h.asked.CompareAndSwap(false, true) {
			compiling.Store(false)
			return
		}
		go func() {
			defer compiling.Store(false)
			p.compileCall(compiler, c, p.index(o), h)
		}()
	}
}

// compileCall compiles the call at op i to native code, and makes all machines use it.
func (p *program) compileCall(compiler CallCompiler, c *Code, i int32, h *hotCall) {
	run, err := compileSafely(func() (Native, error) { return compiler.CompileCall(c, i) })
	if err != nil {
		slog.Debug("a call stays register code", "why", err)
		return
	}
	h.run.Store(&run)
	p.replace(i, opNativeCall)
}

// compileSafely calls compile(), and turns a panic into an error.
func compileSafely(compile func() (Native, error)) (run Native, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("the compiler failed: %v", x)
		}
	}()
	return compile()
}

// nativeCall uses native code to make the call at op o of a, the top call. If the native code gives up, the machine or
// the op's site makes the call. nativeCall returns the op where the machine continues.
//
//go:norace
func (m *Machine) nativeCall(a *Activation, o *Op) *Op {
	p := a.Code.program()
	at := p.index(o)
	h := &p.calls[o.Or]
	if to := h.runMeasured(m, p, at, a); to != at {
		return p.op(to)
	}
	m.breathe()
	if into := m.call(a, o, a.Code.Ops[at].Code); into != nil {
		return into
	}
	return m.site(o)
}

// runMeasured runs the native code of the call at Ops[at], and returns the index of the op where the machine continues.
// If the native code gave up, the op is the call's own op. After each 64 runs, runMeasured removes the native code if it
// is not worthwhile. A call of a func value or of an interface method may then get new native code.
//
//go:norace
func (h *hotCall) runMeasured(m *Machine, p *program, at int32, a *Activation) int32 {
	run := *h.run.Load()
	to, ops := run(m, a.N, a.P)
	if h.runs >= tried {
		return to
	}
	h.ops += int(ops)
	if to == at {
		h.vain++
	}
	if h.runs++; h.runs < tried || Hot == 0 {
		return to
	}
	code := a.Code.Ops[at].Code
	isDynamic := code != OpCallOf
	switch {
	case h.ops < tried*worth, h.vain == h.runs:
		p.replace(at, code)
	case isDynamic && 4*h.vain > h.runs:
		p.replace(at, code)
		if h.tries++; h.tries < mostTries {
			h.turns = 0
			h.asked.Store(false)
		}
	case !isDynamic:
		return to
	}
	if isDynamic {
		h.runs, h.vain, h.ops = 0, 0, 0
	}
	return to
}
