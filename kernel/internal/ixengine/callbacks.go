package ixengine

import (
	"regexp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/visualfc/gid"

	"overcomplete/internal/module"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/rt"
)

// For a panic that passes through compiled code, this file finds where in a cell it arose. When compiled code calls a
// function of a cell (the argument less of sort.Slice, a handler, a String method), the interpreter runs that
// function on a frame without a caller, so no path leads from the goroutine's root to the place of the panic.
// Therefore these calls are watched, and a panic that propagates out of such a call is recorded with its
// frames. Compiled code sees the value that the cell panicked with, and may inspect it.

// A crossing is a panic that has propagated from a function of a cell to compiled code.
type crossing struct {
	gid    uint64
	value  any // the panic's value
	frames []engine.Frame
	depth  int // the number of times that the panic has propagated so
	// The fields at and ipc are the frame and the instruction at which the panic came back from compiled code to a
	// cell. If it has not come back, the frame is nil. A panic that comes back elsewhere is a different panic.
	at  *frame
	ipc int
}

// crossings holds the latest crossings; few of them are ever needed.
type crossings struct {
	any  atomic.Bool
	mu   sync.Mutex
	list []*crossing
}

const (
	keptCrossings = 16
	mostFrames    = 64 // the interpreter's own limit for a panic that passes only through cells
)

// add records x in place of an earlier crossing of the same goroutine: only the last panic of a goroutine can still be
// propagating. Nothing else removes a crossing, not even compiled code that recovers from the panic.
func (c *crossings) add(x *crossing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.any.Store(true)
	c.list = slices.DeleteFunc(c.list, func(o *crossing) bool { return o.gid == x.gid })
	if len(c.list) == keptCrossings {
		c.list = slices.Delete(c.list, 0, 1)
	}
	c.list = append(c.list, x)
}

// back records that the current panic has propagated to fr from compiled code that fr called.
func (c *crossings) back(fr *frame) {
	if !c.any.Load() {
		return
	}
	id := gid.Get()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.list {
		if x.gid == id && x.at == nil {
			x.at, x.ipc = fr, field[int](unsafe.Pointer(fr), layout.ipc)
		}
	}
}

// find returns what was recorded when the panic p last propagated to compiled code. A recorded panic of the calling
// goroutine is considered only if it came back to the innermost frame below root. If there are no calls below root, a
// panic that has not come back to a cell is considered too. If inWorker is set, all panics of other goroutines are
// considered too. If p is not among the panics considered, find returns nil.
func (c *crossings) find(p any, root *frame, inWorker bool) *crossing {
	at := innermost(root)
	id := gid.Get()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range slices.Backward(c.list) {
		if !same(x.value, p) {
			continue
		}
		isHere := x.gid == id && (x.at == nil && at == root || x.at == at && x.ipc == field[int](unsafe.Pointer(at), layout.ipc))
		if isHere || inWorker && x.gid != id {
			return x
		}
	}
	return nil
}

// ofStop returns the frames of the last panic of the calling goroutine that has propagated to compiled code, if the value
// of the panic is a stopSignal with the given reason.
func (c *crossings) ofStop(why string) []engine.Frame {
	id := gid.Get()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.list {
		if x.gid == id && x.value == any(stopSignal{why}) {
			return x.frames
		}
	}
	return nil
}

// same reports whether the panic values a and b are identical: the same type and the same data word. It does not
// compare with ==, because equal values need not be identical, and some values cannot be compared.
func same(a, b any) bool {
	aWord, aData := rt.Words(a)
	bWord, bData := rt.Words(b)
	return aWord == bWord && aData == bData
}

// join returns the frames in inner followed by those in outer. A panic arose in the former, and passed through compiled
// code that the latter had called. If the last frame of inner and the first frame of outer are on the same line, as
// with a short function literal, that line appears only once.
func join(inner, outer []engine.Frame) []engine.Frame {
	if len(inner) > 0 && len(outer) > 0 {
		if a, b := inner[len(inner)-1], outer[0]; a.Cell == b.Cell && a.Line == b.Line {
			outer = outer[1:]
		}
	}
	return slices.Concat(inner, outer)
}

// watchCallbacks replaces the first of a function's instructions. If compiled code has called the function and the
// function panics, the panic is then recorded as a crossing.
func (s *Session) watchCallbacks(instrs []instruction) {
	if len(instrs) == 0 {
		return
	}
	first := instrs[0]
	instrs[0] = func(fr *frame) {
		keepShallow() // deferred functions have no stop check
		s.handovers.deliver(fr)
		caller := field[*frame](unsafe.Pointer(fr), layout.caller)
		if caller == nil || field[*ixgo.Interp](unsafe.Pointer(caller), layout.interp) != nil {
			if s.debug.panics.Load() != 0 {
				s.guarded(fr, instrs, first)
			} else {
				first(fr)
			}
			return
		}
		defer s.rethrowCrossing(caller)
		if leave := s.segmented(caller); leave != nil {
			defer leave()
		}
		if s.debug.panics.Load() != 0 {
			s.guarded(fr, instrs, first)
			return
		}
		first(fr)
		for {
			ipc := field[int](unsafe.Pointer(fr), layout.ipc)
			if ipc == -1 {
				return
			}
			setField(unsafe.Pointer(fr), layout.ipc, ipc+1)
			instrs[ipc](fr)
		}
	}
}

// rethrowCrossing must be deferred in each call of a cell's function by compiled code; root is the caller of that
// function's frame. If the function panics, rethrowCrossing records the panic and panics again.
func (s *Session) rethrowCrossing(root *frame) {
	p := recover()
	if p == nil {
		return
	}
	panic(s.recordCrossing(p, root))
}

// panicValue returns the value of a panic that the interpreter may have wrapped.
func panicValue(p any) any {
	if e, ok := p.(ixgo.PanicError); ok {
		return e.Value
	}
	return p
}

// recordCrossing records that the panic p propagates from the calls below root to compiled code. If a net/http server
// has made the call, recordCrossing also reports the panic to the function Background of the session's options, unless
// the cell was stopped. It returns the value with which the panic goes on. This is the value of p or, if the server need
// not report the panic again, the value of the variable abandonment. If the panic would end the process, because compiled
// code has started the goroutine and nothing recovers, recordCrossing reports the panic and ends only the goroutine.
func (s *Session) recordCrossing(p any, root *frame) any {
	value := panicValue(p)
	stop, isStop := value.(stopSignal)
	isForeign := s.stop.self() == nil
	var frames []engine.Frame
	if !isStop || stop.why == stackOverflow || isForeign || s.modules.any.Load() { // else the place of the panic is in the cell, or does not matter
		x := s.crossing(value, root)
		s.crossings.add(x)
		frames = x.frames
		if isForeign && endsProcess(x.depth) {
			s.tellPanic(value, frames)
			runtime.Goexit()
		}
	}
	if same(value, abandonment) || !isForeign || !isStop && s.opt.Background == nil {
		return value
	}
	isServed, alone := calledByServer()
	if isServed && !isStop {
		s.opt.Background("a handler panicked, and its server goes on", s.valueError(value, frames))
	}
	if alone && abandonment != nil {
		return abandonment // the server need not report the panic
	}
	return value
}

// crossing returns a crossing for the panic p, which propagates from the calls below root to compiled code.
func (s *Session) crossing(p any, root *frame) *crossing {
	next := &crossing{gid: gid.Get(), value: p, depth: 1}
	if deeper := s.crossings.find(p, root, false); deeper != nil {
		next.frames, next.depth = deeper.frames, deeper.depth+1
	}
	if len(next.frames) < mostFrames {
		next.frames = join(next.frames, s.liveFrames(root))
	}
	next.frames = next.frames[:min(len(next.frames), mostFrames)]
	return next
}

// Panicked reports a panic of a cell's function that has ended a goroutine of compiled code, as the error of the
// running cell; see engine.Session.
func (s *Session) Panicked(value any) bool {
	x := s.crossings.find(value, new(frame), false)
	if x == nil || s.stop.self() != nil {
		return false
	}
	s.tellPanic(value, x.frames)
	return true
}

// tellPanic reports a panic that ends a goroutine of compiled code: to the running cell or, if no cell is running, to
// Options.Background.
func (s *Session) tellPanic(value any, frames []engine.Frame) {
	e := s.valueError(value, frames)
	if e.Kind == engine.Interrupted {
		return // whoever has stopped the cell knows
	}
	if !s.report(&goroutine{run: s.stop.runOf(nil)}, e) {
		s.background("a function that was called in a goroutine of compiled code panicked", e)
	}
}

// endsProcess reports whether a panic that propagates to compiled code, in a goroutine that compiled code has started,
// ends the process. crossed is the number of times that the panic has propagated so. endsProcess returns false if a
// function of a cell or of compiled code may still recover the panic.
func endsProcess(crossed int) bool {
	functions := callStack()
	calls, recovers := 0, false
	for _, f := range functions {
		switch {
		case callOfCell.MatchString(f):
			calls, recovers = calls+1, false
		case !neverRecovers(f):
			recovers = true
		}
	}
	return functions[len(functions)-1] == "runtime.goexit" && calls == crossed && !recovers
}

// callStack returns the names of the functions on the calling goroutine's stack, innermost first. There are at most some
// 500; the last is runtime.goexit if there are no more.
func callStack() []string {
	var pcs [512]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	var functions []string
	for {
		f, more := frames.Next()
		functions = append(functions, f.Function)
		if !more {
			return functions
		}
	}
}

// callOfCell matches the functions in which compiled code calls a function of a cell.
var callOfCell = regexp.MustCompile(`ixgo\.\(\*Interp\)\.callFunctionByReflect$|ixengine\.\(\*fastClosure\)\.callFromCompiled$`)

// neverRecovers reports whether a function neither recovers panics nor passes them on to another goroutine. It knows the
// functions of gonum, the standard library and the kernel.
func neverRecovers(function string) bool {
	if folder, ok := module.Folder(function); ok {
		return inEngine.MatchString(folder)
	}
	return inKnown.MatchString(function) && !mayRecover.MatchString(function)
}

var (
	inEngine   = regexp.MustCompile(`^kernel/internal/((rt|entrypoints)\.|ixengine\.call)`)
	inKnown    = regexp.MustCompile(`^(bufio|bytes|compress|context|crypto|database|encoding|io|log|math|net|os|reflect|runtime|slices|sort|strings|sync|testing|time|gonum\.org/v1/gonum|github\.com/goplus)[./]`)
	mayRecover = regexp.MustCompile(`^(encoding/(gob|json)\.|log/slog\.|testing\.tRunner|gonum\.org/v1/gonum/(mat\.Maybe|graph/|spatial/)|net/http[a-z0-9/]*\.\(\*(http2serverConn|serverConn|conn)\))`)
)

// calledByServer reports whether the calling goroutine belongs to a net/http server and executes a function of a cell
// for it. alone is true if the server calls the function without other compiled code in between. The stack that the
// server logs for a panic would then show only the server's own code.
func calledByServer() (is, alone bool) {
	functions := callStack()
	server := slices.Index(functions, serverLoop)
	if server < 0 {
		return false, false
	}
	functions = functions[:server]
	first := slices.IndexFunc(functions, callOfCell.MatchString)
	if first < 0 || slices.ContainsFunc(functions[first+1:], callOfCell.MatchString) {
		return false, false
	}
	return true, !slices.ContainsFunc(functions[first+1:], func(f string) bool { return !serving.MatchString(f) })
}

// serverLoop is the function with which a net/http server serves a connection. It recovers the panics of handlers.
const serverLoop = "net/http.(*conn).serve"

// serving matches functions of the server, and functions between the server and the cell.
var serving = regexp.MustCompile(`^(net/http|reflect|runtime|github.com/goplus/\S+|\S+/kernel/internal/(rt|entrypoints|ixengine))\.`)
