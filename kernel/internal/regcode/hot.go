package regcode

import (
	"log/slog"
	"sync/atomic"
)

// How loops get native code. A loop that has run for about half a millisecond is compiled in the background
// while the machine continues, so a loop that ends soon loses nothing. The native code then replaces the
// loop's op.

// Hot is the number of ops that a loop runs before it is passed to NativeCompiler. If Hot is 0, a loop is compiled at
// its first iteration or, if the loop may make calls, at its second iteration; the machine waits for the compiler. If
// Hot is negative, loops are never compiled. Hot must be set before any code runs.
var Hot = 400_000

// NativeCompiler compiles loops to native code. It is nil if no compiler is available. It must be set before
// any code runs.
var NativeCompiler Compiler

// Breathe lets other goroutines run, on systems with a single thread. It is called now and then while loops and
// calls run. It is nil on other systems. It must be set before any code runs.
var Breathe func()

const (
	// every is the number of loop iterations and calls between two checks. It is prime so that, if several
	// loops and calls alternate, each of them is checked at some time.
	every = 257
	// everyBreath is used in place of the constant named every if Breathe is set.
	everyBreath = 11
)

// breathe resets the countdown to the next check and calls Breathe.
func (m *Machine) breathe() {
	m.ticks = every - 1
	if Breathe != nil {
		m.ticks = everyBreath - 1
		Breathe()
	}
	if Hot == 0 {
		m.ticks = 0 // the next loop must be checked too
	}
}

// countTurns counts iterations of the loop at op o of c, and has the loop compiled when it is hot. It is called once in
// a number of iterations; see the constant named every. All iterations since the last check count for this loop, even
// those of other loops; in the long run this evens out.
//
//go:norace
func (m *Machine) countTurns(c *Code, o *Op) {
	l := c.Loops[o.Or]
	turns := uint32(every)
	if Breathe != nil {
		turns = everyBreath
	}
	m.breathe()
	if NativeCompiler == nil || Hot < 0 || l.Refused.Load() {
		return
	}
	l.Turns += turns
	p := c.program()
	switch ran := int(l.Turns) * p.lengths[o.Or]; {
	case ran < Hot || ran < l.gain.rest:
	case l.Run.Load() != nil && c.isDynamic() && compiling.CompareAndSwap(false, true): // it may call other functions now
		l.restart()
		go func() {
			defer compiling.Store(false)
			p.compile(c, l)
		}()
	case l.Run.Load() != nil:
		l.tryAgain(p)
	case Hot == 0 && c.isDynamic() && l.Turns <= turns:
	case Hot == 0:
		if l.gain.asked.CompareAndSwap(false, true) {
			p.compile(c, l)
		}
	case compiling.CompareAndSwap(false, true): // one compilation at a time, because other work needs the processors
		if !l.gain.asked.CompareAndSwap(false, true) {
			compiling.Store(false)
			return
		}
		go func() {
			defer compiling.Store(false)
			p.compile(c, l)
		}()
	}
}

var compiling atomic.Bool

// isDynamic reports whether native code of c depends on which functions its calls have called so far, or on which
// itabs its ops have seen.
func (c *Code) isDynamic() bool { return len(c.Calls) > 0 || len(c.Itabs) > 0 }

// compile compiles l to native code, and makes all machines use it.
func (p *program) compile(c *Code, l *Loop) {
	run, err := compileSafely(func() (Native, error) { return NativeCompiler.Compile(c, l) })
	if err != nil {
		slog.Debug("a loop stays register code", "why", err)
		l.Refused.Store(true)
		return
	}
	l.gain.before = p.ops[l.At].Code
	l.Run.Store(&run)
	p.replace(l.At, opNative)
}

// replace replaces the opcode of op i. Running machines see the new opcode after some time.
//
//go:norace
func (p *program) replace(i int32, code Opcode) { p.ops[i].Code = code }
