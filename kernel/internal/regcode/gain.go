package regcode

import "sync/atomic"

// A gain says whether the native code of a loop is worth it: to begin a run of it takes as long as the machine needs
// for some ten ops. A loop that ends after a few turns each time is better left to the machine. Since that may
// change, the native code is tried again when the loop has run for much longer. Machines that count at once may lose
// some: nothing depends on the exact numbers.
type gain struct {
	asked  atomic.Bool
	before Opcode // of the loop's op
	runs   int32  // of native code since it was tried last
	brief  int32  // of those that were looked at
	rest   int    // how many ops the machine does before native code is tried again
}

const (
	// sampled says that one run in so many is looked at, and judged how many of these decide.
	sampled = 16
	judged  = 8
	// firstRest and mostRest bound the ops until the next try, of which each takes four times as many.
	firstRest = 1 << 22
	mostRest  = 1 << 30
)

// worth is how many ops a run should do. To begin one takes some 80 ns, in which the machine does half as many.
const worth = 64

// native runs loop o of the top call natively, and returns where the machine goes on.
//
//go:norace
func (m *Machine) native(a *Act, o *Op) *Op {
	l := a.Code.Loops[o.Or]
	p := a.Code.program()
	run := l.Run.Load()
	if run == nil {
		return next(o)
	}
	for {
		at := l.weighed(p, *run, a)
		if at != l.At {
			return p.op(at)
		}
		m.breathe()
	}
}

// weighed runs run, and has the machine do the loop if most runs are brief.
//
//go:norace
func (l *Loop) weighed(p *program, run Native, a *Act) int32 {
	at, ops := run(a.N, a.P)
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

// tryAgain has machines use the native code of l, which they have not for a while.
//
//go:norace
func (l *Loop) tryAgain(p *program) {
	l.gain.runs, l.gain.brief = 0, 0
	l.Turns = 0
	p.replace(l.At, opNative)
}
