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

// A function of a cell that calls itself through compiled code, such as a String method that prints its own
// receiver, fills the stack, and Go would end the process. So each call of compiled code checks the depth of
// the stack. A goroutine that is too deep is ended by runtime.Goexit. A panic would not work: package fmt
// recovers it at each of a hundred thousand levels, and encoding/json recovers it and panics again. As in Go,
// the cell cannot recover from endless recursion.

//go:linkname getg github.com/timandy/routine.getg
func getg() unsafe.Pointer

// stackUsed returns how many bytes of its stack the calling goroutine uses. It relies on the layout of runtime.g, the
// runtime's description of a goroutine, which begins with the bounds of the stack.
func stackUsed() uintptr {
	var here byte
	return (*[2]uintptr)(getg())[1] - uintptr(unsafe.Pointer(&here))
}

// deepStack is larger than the stack of any goroutine that does not recurse deeply.
const deepStack = 1 << 20

// deep reports whether goroutines of the run r have deep stacks that together take at least half of stackLimit, and
// whether the deepest is that of the cell's own goroutine. If stacks are not deep, a growth of stack memory has another cause: for example, a hundred thousand goroutines with ordinary stacks, or
// goroutines that Go gave large stacks at their start because the last garbage collection had seen deep ones.
func (s *stopper) deep(r *cellRun) (deep, isMain bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum, most := uintptr(0), uintptr(0)
	for g := range s.all {
		if g.run != r {
			continue
		}
		if size, grown := g.stackSize(); grown && size > deepStack {
			sum += size
			if size > most {
				most, isMain = size, g.main
			}
		}
	}
	return sum >= stackLimit/2, isMain
}

// stopDeep stops the run r because a goroutine recurses too deep. isMain says whether this is the cell's own goroutine.
func (s *stopper) stopDeep(r *cellRun, isMain bool) {
	s.mu.Lock()
	r.deepElsewhere = r.deepElsewhere || !isMain
	s.mu.Unlock()
	s.stop(r, stackOverflow)
}

// deepElsewhere reports whether stack memory has grown because of deep stacks of goroutines that compiled code started.
// deep() does not see these goroutines. growth is the number of bytes by which stack memory has grown, and startingSize
// is the stack size of new goroutines.
//
// If the stack of a cell's goroutine has not grown, its size is subtracted from growth. What is left must be large in
// total, and large on average for the remaining goroutines of the process.
func (s *stopper) deepElsewhere(growth int64, startingSize uintptr) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	others := runtime.NumGoroutine()
	for g := range s.all {
		if size, grown := g.stackSize(); size > 0 && !grown {
			growth -= int64(size)
			others--
		}
	}
	return growth > 3*stackLimit && growth/int64(max(1, others)) >= int64(max(deepStack/8, 2*startingSize))
}

// stackSize returns the size of g's stack in bytes, and whether it has grown since g began. It returns 0 if g has
// not begun or if the runtime is replacing the stack. The caller holds stopper.mu.
func (g *goroutine) stackSize() (size uintptr, grown bool) {
	if g.stack == nil {
		return 0, false
	}
	lo, hi := g.stack[0], g.stack[1]
	if hi-lo <= g.firstStack {
		return hi - lo, false
	}
	// The runtime may be changing the bounds: they are valid if two reads agree.
	if runtime.Gosched(); lo != g.stack[0] || hi != g.stack[1] {
		return 0, false
	}
	return hi - lo, true
}

// checkStackUsed returns an error if a runtime.g does not have the layout that stackUsed assumes.
func checkStackUsed() error {
	if used := stackUsed(); used > 1<<20 {
		return fmt.Errorf("ixengine: this Go keeps the bounds of stacks elsewhere: %d bytes used", used)
	}
	return nil
}

// overflow reports that the stack of the calling goroutine, which is in a call made by fr, is too deep, and ends the
// goroutine. It does neither if fr only forwards the call to a newer version of its function, or if the goroutine is
// already ending and runs deferred calls. Such deferred calls get some more stack; if they use that up too, overflow
// panics.
func (s *Session) overflow(fr *frame) {
	if isForwarding(fr) {
		return // the newer version that fr calls has a position to show
	}
	if _, ending := s.stop.ending.Load(gid.Get()); ending { // fr is in a deferred call of a goroutine that is ending
		if stackUsed() > 4*deepest {
			s.stop.giveUp()
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
	case g == nil && ofKernel(): // the kernel is showing a value outside of a cell
		panic(stopSignal{e.Message})
	case g == nil: // a goroutine of compiled code
		s.report(&goroutine{run: s.stop.runOf(nil)}, e)
	case g.main:
		g.overflowed = e
	case !s.report(g, e):
		s.background(goroutineEnded, e)
	}
	s.stop.goexit(fr, exited)
}

// ofKernel reports whether the kernel needs the calling goroutine, because it is the main goroutine or the
// kernel started it.
func ofKernel() bool {
	stack := make([]byte, 64<<10)
	stack = stack[:runtime.Stack(stack, false)]
	_, by, _ := strings.Cut(string(stack), "\ncreated by ")
	return by == "" || module.Has(by) || strings.HasPrefix(by, "testing.")
}

var showsItself = regexp.MustCompile(`\.(String|Error|GoString|Format)$`)

// plainName converts main.(*T).M to T.M.
func plainName(function string) string {
	return strings.NewReplacer("(", "", "*", "", ")", "").Replace(funcName(function))
}
