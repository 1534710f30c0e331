package ixengine

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"unsafe"

	"github.com/visualfc/gid"

	"overcomplete/internal/module"
	"overcomplete/kernel/engine"
)

// A function of a cell that calls itself by way of compiled code, as a String method
// does that prints its own receiver, fills the stack, and Go would end the process. So each
// call of compiled code looks how deep the stack is. Its goroutine is ended by
// runtime.Goexit, for a panic would not do: package fmt recovers it at each of a
// hundred thousand levels, encoding/json recovers and panics again. Like in
// Go, the cell cannot recover from it.

// deepest is how much stack a goroutine may use where it calls compiled code.
const deepest = stackLimit / 4

//go:linkname getg github.com/timandy/routine.getg
func getg() unsafe.Pointer

// stackUsed returns how many bytes of its stack the calling goroutine uses. A runtime.g begins
// with the bounds of the stack.
func stackUsed() uintptr {
	var here byte
	return (*[2]uintptr)(getg())[1] - uintptr(unsafe.Pointer(&here))
}

// deep reports whether the stacks of a run's goroutines are what fills the memory for stacks.
func (s *stopper) deep(r *cellRun) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := uintptr(0)
	for g := range s.all {
		if g.run != r || g.stack == nil {
			continue
		}
		// The bounds may be changing: those of two moments that are the same are bounds.
		lo, hi := g.stack[0], g.stack[1]
		if runtime.Gosched(); lo == g.stack[0] && hi == g.stack[1] && lo < hi {
			sum += hi - lo
		}
	}
	return sum >= stackLimit/2
}

// checkStackUsed makes sure that a runtime.g is as stackUsed thinks.
func checkStackUsed() error {
	if used := stackUsed(); used > 1<<20 {
		return fmt.Errorf("ixengine: this Go keeps the bounds of stacks elsewhere: %d bytes used", used)
	}
	return nil
}

// overflow ends the calling goroutine, which is in a call that fr makes.
func (s *Session) overflow(fr *frame) {
	if _, ending := s.stop.ending.Load(gid.Get()); ending { // this is a deferred call
		if stackUsed() > 4*deepest {
			panic(stopSignal{stackOverflow})
		}
		return
	}
	e := &engine.Error{Kind: engine.Panic, Message: "stack overflow: endless recursion"}
	for _, f := range fr.CallerFrames() {
		if f.Line == 0 {
			continue
		}
		if len(e.Frames) == 0 {
			e.Message += " in " + plainName(f.Function)
		}
		e.Frames = append(e.Frames, s.frame(f.Function, f.File, f.Line)...)
	}
	if m := showsItself.FindStringSubmatch(e.Message); m != nil {
		e.Hints = []string{"package fmt calls " + m[1] + ": print the receiver's fields in it, not the receiver itself"}
	}
	g := s.stop.self()
	if g != nil {
		e.Frames = append(e.Frames, s.liveFrames(g.root)...)
	}
	e.Frames = e.Frames[:min(len(e.Frames), 12)]
	switch {
	case g == nil && ofKernel(): // which shows a value outside of a cell
		panic(stopSignal{e.Message})
	case g == nil: // a goroutine of compiled code
		s.report(&goroutine{run: s.stop.runOf(nil)}, e)
	case g.main:
		g.overflowed = e
	case !s.report(g, e) && s.opt.Background != nil:
		s.opt.Background(e)
	}
	s.stop.goexit(fr)
}

// ofKernel reports whether the kernel needs the calling goroutine: it is the main one or the
// kernel has started it.
func ofKernel() bool {
	stack := make([]byte, 64<<10)
	stack = stack[:runtime.Stack(stack, false)]
	_, by, _ := strings.Cut(string(stack), "\ncreated by ")
	_, own := module.Folder(by)
	return by == "" || own || strings.HasPrefix(by, "testing.")
}

var showsItself = regexp.MustCompile(`\.(String|Error|GoString|Format)$`)

// plainName makes T.M of main.(*T).M.
func plainName(function string) string {
	return strings.NewReplacer("(", "", "*", "", ")", "").Replace(funcName(function))
}
