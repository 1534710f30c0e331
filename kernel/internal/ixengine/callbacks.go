package ixengine

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/visualfc/gid"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/rt"
)

// The place in a cell of a panic that passes through compiled code. When compiled code calls
// a function of a cell (the less of sort.Slice, a handler, a String method), the interpreter
// runs it on a frame without a caller, so that no path leads from the goroutine's root to
// the place of a panic. So such calls are watched, and a panic that leaves one is recorded
// with its frames. The value of the panic is not changed, because compiled code may look at
// it.

// A crossing is a panic that has left a function of a cell for compiled code.
type crossing struct {
	gid    uint64
	value  any // of the panic
	frames []engine.Frame
	// at and the place in it say where the panic came back from compiled code to a cell; at is
	// nil if it did not. A panic that comes back elsewhere is a different one.
	at  *frame
	ipc int
}

// crossings are the latest crossings, few of which are ever needed.
type crossings struct {
	any  atomic.Bool
	mu   sync.Mutex
	list []*crossing
}

const (
	keptCrossings = 16
	mostFrames    = 64 // as many as the interpreter gives of a panic in cells alone
)

// A panic from which compiled code has recovered is not removed: only the last one of
// a goroutine can still be on its way.
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

// back notes that the current panic has reached fr from the compiled code that fr has called.
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

// framesOf returns the frames of the panic p beyond those below root. The panic must have
// come back to the innermost frame below root or, if inWorker is set, have happened in
// another goroutine.
func (c *crossings) framesOf(p any, root *frame, inWorker bool) ([]engine.Frame, bool) {
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
			return x.frames, true
		}
	}
	return nil, false
}

// same reports whether the values of two panics are identical. Equal values need not be, and
// some values cannot be compared.
func same(a, b any) bool {
	aWord, aData := rt.Words(a)
	bWord, bData := rt.Words(b)
	return aWord == bWord && aData == bData
}

// join puts the frames of a panic before the frames of the call of compiled code through
// which it came. If both are on the same line, as with a short function literal, that line
// appears only once.
func join(inner, outer []engine.Frame) []engine.Frame {
	if len(inner) > 0 && len(outer) > 0 {
		if a, b := inner[len(inner)-1], outer[0]; a.Cell == b.Cell && a.Line == b.Line {
			outer = outer[1:]
		}
	}
	return slices.Concat(inner, outer)
}

// watchCallbacks replaces instructions so that compiled code's calls of the
// function are watched.
func (s *Session) watchCallbacks(instrs []instruction) {
	if len(instrs) == 0 {
		return
	}
	first := instrs[0]
	instrs[0] = func(fr *frame) {
		keepShallow() // deferred functions do not look at the flag to stop
		caller := field[*frame](unsafe.Pointer(fr), layout.caller)
		if caller == nil || field[*ixgo.Interp](unsafe.Pointer(caller), layout.interp) != nil {
			if s.debugging.panics.Load() != 0 {
				s.guarded(fr, instrs, first)
			} else {
				first(fr)
			}
			return
		}
		defer s.crossed(caller)
		if leave := s.segmented(caller); leave != nil {
			defer leave()
		}
		if s.debugging.panics.Load() != 0 {
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

// crossed is deferred by a call that compiled code makes below root.
func (s *Session) crossed(root *frame) {
	p := recover()
	if p == nil {
		return
	}
	s.leaves(p, root)
	panic(p)
}

// leaves notes that the panic p leaves the calls below root for compiled code.
func (s *Session) leaves(p any, root *frame) {
	_, isStop := p.(stopSignal)
	if isStop && !s.modules.any.Load() { // the place is in the cell, or does not matter
		return
	}
	x := s.crossing(p, root)
	s.crossings.add(x)
	value := p
	if e, ok := p.(ixgo.PanicError); ok {
		value = e.Value
	}
	if s.opt.Background != nil && !isStop && !abandoned(value) && s.stop.self() == nil && served() {
		s.opt.Background(s.valueError(value, x.frames))
	}
}

// crossing returns the crossing of p, which leaves the calls below root.
func (s *Session) crossing(p any, root *frame) *crossing {
	frames, _ := s.crossings.framesOf(p, root, false) // deeper ones
	if len(frames) < mostFrames {
		frames = join(frames, s.liveFrames(root))
	}
	return &crossing{gid: gid.Get(), value: p, frames: frames[:min(len(frames), mostFrames)]}
}

// served reports whether a server has called the function that the calling goroutine is in.
// Such a server will only write its own stack to a log.
func served() bool {
	stack := make([]byte, 64<<10)
	text := string(stack[:runtime.Stack(stack, false)])
	return strings.Contains(text, "net/http.(*conn).serve(") &&
		strings.Count(text, "ixgo.(*Interp).callFunctionByReflect(")+strings.Count(text, "ixengine.called(") == 1
}
