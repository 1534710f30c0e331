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
	// seen holds the first functions that a call of a func value has called. If the last entry is set, the call
	// may have called further functions.
	seen [mostCallees + 1]atomic.Pointer[Callee]
}

// mostCallees is the maximum number of functions, or of types, that native code of a call can distinguish.
const mostCallees = 3

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

// countCall counts the call at op o of c, and has it compiled when it has been made often. It is called once
// every so many calls; see the constant named every. Calls of func values and of interface methods are not
// compiled.
//
//go:norace
func (m *Machine) countCall(c *Code, o *Op) {
	m.breathe()
	m.ticks++ // the call has not begun yet
	compiler, ok := NativeCompiler.(CallCompiler)
	p := c.program()
	h := &p.calls[o.Or]
	if !ok || Hot < 0 || o.Code != OpCallOf || h.asked.Load() {
		return
	}
	code := c.Calls[o.Or].Func.Code.Load()
	if code == nil {
		return
	}
	h.turns += every
	switch {
	case Hot == 0:
		if h.asked.CompareAndSwap(false, true) {
			p.compileCall(compiler, c, p.index(o), h)
		}
	case int(h.turns)*len(code.Ops) < Hot:
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
	if into := m.call(a, o); into != nil {
		return into
	}
	return m.site(o)
}

// runMeasured runs the native code of the call at Ops[at], and returns the index of the op where the machine continues.
// If the native code gave up, the op is the call's own op. After the first 64 runs, runMeasured removes the native code
// if it is not worthwhile.
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
	if h.runs++; h.runs == tried && (h.ops < tried*worth || h.vain == h.runs) && Hot != 0 {
		p.replace(at, OpCallOf)
	}
	return to
}
