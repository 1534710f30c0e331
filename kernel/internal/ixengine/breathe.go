package ixengine

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// In a browser all goroutines share one thread, and none of them is preempted: while a cell computes, no
// timer fires and no message from the page arrives. So a cell breathes, which means that after some
// milliseconds of computing it yields to other goroutines. It does so where it checks the stop flag (in each
// loop and each function) and where a compiled function returns. On other systems this code is not compiled.

// asksHere reports whether an instruction reads the stop flag, which is the variable Stop of the host package.
func asksHere(in *ssa.UnOp) bool {
	g, ok := in.X.(*ssa.Global)
	return ok && in.Op == token.MUL && g.Name() == "Stop" && g.Pkg != nil && g.Pkg.Pkg.Path() == hostPath
}

// ask returns a replacement for an instruction that reads the stop flag. The replacement also calls breatheIn. It is
// used only on systems with one thread. Register code needs no replacement: it yields by itself.
func (s *Session) ask(in *ssa.UnOp, r *registers) instruction {
	result := r.slotOf(in)
	return func(fr *frame) {
		s.breatheIn(fr)
		stackOf(fr)[result] = s.host.stop
	}
}

// breatheIn yields to other goroutines if that is due. It stops the cell if the recursion that leads to the
// frame fr is too deep.
func (s *Session) breatheIn(fr *frame) {
	breatheNowAndThen()
	if stackUsed() > deepestOwn {
		s.tooDeep(fr)
	}
}

// tooDeep stops the calling goroutine's cell because a function recurses endlessly. On a system with one thread, the
// memory watch may notice this too late; in register code, the watch does not notice this on any system.
func (s *Session) tooDeep(fr *frame) {
	g := s.stop.self()
	run := s.stop.runOf(g)
	s.stop.stopDeep(run, g != nil && g.main)
	if !s.stop.stopping(run) { // a goroutine of a cell that has ended
		s.overflow(fr)
	}
}
