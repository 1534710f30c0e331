package regcode

import "sync/atomic"

// A gain holds what is known about the benefit of a loop's native code. Starting native code takes as long as some
// tens of ops in the machine, so a loop that always ends after a few iterations is better left to the machine. Later
// the loop may run longer, so the native code is tried again after the machine has executed many more ops of the loop.
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

// tryAgain makes machines use the native code of l again, after they have run the loop themselves for a while.
//
//go:norace
func (l *Loop) tryAgain(p *program) {
	l.restart()
	p.replace(l.At, opNative)
}

// restart resets the count of the loop's iterations and the measurements of its native code.
//
//go:norace
func (l *Loop) restart() {
	l.gain.runs, l.gain.brief = 0, 0
	l.Turns = 0
}
