package ixengine

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// In a browser all goroutines share one thread, and none is ever preempted: while a cell
// computes, no timer fires and no message of the page arrives. Breathing is what a cell does
// about that: where it looks at the flag to stop (in each loop and each function) and where a
// compiled function returns, it lets others have their turn when it has computed for some
// milliseconds. Elsewhere nothing of this is compiled.

// asksHere reports whether in looks at the flag to stop.
func asksHere(in *ssa.UnOp) bool {
	g, ok := in.X.(*ssa.Global)
	return ok && in.Op == token.MUL && g.Name() == "Stop" && g.Pkg != nil && g.Pkg.Pkg.Path() == hostPath
}

// ask returns the instruction that looks at the flag to stop, where there is one thread. Register code breathes by
// itself.
func (s *Session) ask(in *ssa.UnOp, r *registers) instruction {
	result := r.of(in)
	return func(fr *frame) {
		s.breatheIn(fr)
		stackOf(fr)[result] = s.host.stop
	}
}

// breatheIn breathes in fr's function, and stops the cell if it has called itself too often.
func (s *Session) breatheIn(fr *frame) {
	breatheNowAndThen()
	if stackUsed() > deepestOwn {
		s.tooDeep(fr)
	}
}

// tooDeep stops the calling goroutine's cell because a function calls itself without end. Elsewhere
// watch notices that; where there is one thread, it may come too late.
func (s *Session) tooDeep(fr *frame) {
	run := s.stop.runOf(s.stop.self())
	s.stop.stop(run, stackOverflow)
	if !s.stop.stopping(run) { // a goroutine of a cell that has ended
		s.overflow(fr)
	}
}
