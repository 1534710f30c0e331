package regcode

import (
	"log/slog"
	"sync/atomic"
)

// How loops get native code. A loop that has run for about half a millisecond is compiled in the background,
// while the machine continues: a loop that ends soon loses nothing. The native code then replaces the loop's
// op.

// Hot is the number of ops that a loop runs before it is given to NativeCompiler. 0 compiles at the first
// turn, and the machine waits for it; a negative number never compiles. It must be set before anything runs.
var Hot = 400_000

// NativeCompiler compiles loops to native code; it is nil if there is no compiler here. It must be set before
// anything runs.
var NativeCompiler Compiler

// Breathe is called now and then while loops and calls run, on systems with a single thread that others wait
// for; it is nil elsewhere. It must be set before anything runs.
var Breathe func()

const (
	// every is the number of loops and calls between two checks. It is prime: a check sees one loop or call,
	// and those that alternate should all be seen at times.
	every = 257
	// everyBreath replaces every where there is Breathe.
	everyBreath = 11
)

// breathe resets the countdown to the next check, and calls Breathe.
func (m *Machine) breathe() {
	m.ticks = every - 1
	if Breathe != nil {
		m.ticks = everyBreath - 1
		Breathe()
	}
}

// countTurns is called at loop o of c, in one of many turns. All turns since the last check are credited to this
// loop; in the long run this evens out between loops.
//
//go:norace
func (m *Machine) countTurns(c *Code, o *Op) {
	l := c.Loops[o.Or]
	turns := uint32(every)
	if Breathe != nil {
		turns = everyBreath
	}
	m.breathe()
	if Hot == 0 {
		m.ticks = 0 // the next loop must be seen too
	}
	if NativeCompiler == nil || Hot < 0 || l.Refused.Load() {
		return
	}
	l.Turns += turns
	p := c.program()
	switch ran := int(l.Turns) * p.lengths[o.Or]; {
	case ran < Hot || ran < l.gain.rest:
	case l.Run.Load() != nil:
		l.tryAgain(p)
	case Hot == 0:
		if l.gain.asked.CompareAndSwap(false, true) {
			p.compile(c, l)
		}
	case compiling.CompareAndSwap(false, true): // one at a time: other work needs the processors
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

// replace replaces the opcode of op i. Machines that are running see it sooner or later.
//
//go:norace
func (p *program) replace(i int32, code Opcode) { p.ops[i].Code = code }
