package regcode

import (
	"log/slog"
	"sync/atomic"
)

// How loops get native code. A loop that has run for about half a millisecond is compiled beside the machine, which
// goes on meanwhile: a loop that ends soon loses nothing. What comes of it replaces the loop's op.

// Hot is how many ops a loop has run when it is given to NativeCompiler: 0 compiles at the first turn, and the
// machine waits for it; less than 0 never does. To be set before anything runs.
var Hot = 400_000

// NativeCompiler makes native code of loops; nil if there is none here. To be set before anything runs.
var NativeCompiler Compiler

// Breathe is called now and then while loops and calls go on, where there is one thread that others wait for; nil
// elsewhere. To be set before anything runs.
var Breathe func()

const (
	// every is how many loops and calls begin between two looks around. It is a prime number: a look is at one loop
	// or call, and those that take turns should all come to be looked at.
	every = 257
	// everyBreath is the same where there is Breathe.
	everyBreath = 11
)

// breathe begins anew to count.
func (m *Machine) breathe() {
	m.ticks = every - 1
	if Breathe != nil {
		m.ticks = everyBreath - 1
		Breathe()
	}
}

// turned is called at loop o of c, in one of many turns. All turns since the last time count for this loop: those
// that there were of others come to the same, in the long run.
//
//go:norace
func (m *Machine) turned(c *Code, o *Op) {
	l := c.Loops[o.Or]
	turns := uint32(every)
	if Breathe != nil {
		turns = everyBreath
	}
	m.breathe()
	if Hot == 0 {
		m.ticks = 0 // the next loop is to be seen, too
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
	case compiling.CompareAndSwap(false, true): // one after the other: there are others who need the processors
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

// compile makes native code of l, and has all machines use it.
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

// replace makes op i another one. Machines that are running see it sooner or later.
//
//go:norace
func (p *program) replace(i int32, code Opcode) { p.ops[i].Code = code }
