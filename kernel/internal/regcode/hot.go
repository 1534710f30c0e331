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
	// loops and calls alternate, each of them is checked sooner or later.
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

// countTurns counts iterations of the loop at op o of c, and has the loop compiled when it is hot. It is called once
// every so many iterations; see the constant named every. All iterations since the last check count for this loop, even
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
	case l.Run.Load() != nil: // the machines have run the loop for a while; now the native code is tried again
		l.restart()
		p.replace(l.At, opNative)
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

// A gain holds what is known about the benefit of a loop's native code. Starting native code takes as long as a few
// dozen ops in the machine, so a loop that always ends after a few iterations is better left to the machine. Later the
// loop may run longer, so the native code is tried again after the machine has executed many more ops of the loop.
// Concurrent machines may lose counts; nothing depends on the exact numbers.
type gain struct {
	asked  atomic.Bool
	before Opcode // opcode of the loop's op before native code replaced it
	runs   int32  // native runs since the last try
	brief  int32  // brief runs among the measured runs
	rest   int    // number of ops that the machine executes before native code is tried again
}

const (
	// sampled is the number of runs per measured run; judged is the number of measurements after which the decision is
	// made.
	sampled = 16
	judged  = 8
	// firstRest and mostRest bound the number of ops before native code is tried again. That number
	// quadruples with each try.
	firstRest = 1 << 22
	mostRest  = 1 << 30
)

// worth is the number of ops that make a run worthwhile. Starting a run takes some 80 ns, in which time the
// machine executes half this number of ops.
const worth = 64

// native runs the loop at op o of the top call natively, and returns the op where the machine continues.
//
//go:norace
func (m *Machine) native(a *Activation, o *Op) *Op {
	l := a.Code.Loops[o.Or]
	p := a.Code.program()
	run := l.Run.Load()
	depth := len(m.Stack)
	if run == nil || depth > MaxDepth-MostInlined {
		return next(o)
	}
	for {
		at := l.runSampled(m, p, *run, a)
		if len(m.Stack) != depth {
			return m.Top().Code.program().op(at)
		}
		if at != l.At {
			return p.op(at)
		}
		m.breathe()
	}
}

// runSampled runs the loop l with its native code fn and returns the index of the op where the machine continues. One
// run in 16 is measured. If most measured runs are brief, machines
// run the loop themselves for a while.
//
//go:norace
func (l *Loop) runSampled(m *Machine, p *program, fn Native, a *Activation) int32 {
	at, ops := fn(m, a.N, a.P)
	g := &l.gain
	if g.runs++; g.runs%sampled != 0 {
		return at
	}
	if ops < worth {
		g.brief++
	}
	if g.runs >= sampled*judged {
		if 2*g.brief > judged && Hot != 0 {
			g.rest = min(max(4*g.rest, firstRest), mostRest)
			l.Turns = 0
			p.replace(l.At, g.before)
		}
		g.runs, g.brief = 0, 0
	}
	return at
}

// restart resets the count of the loop's iterations and the measurements of its native code.
//
//go:norace
func (l *Loop) restart() {
	l.gain.runs, l.gain.brief = 0, 0
	l.Turns = 0
}
