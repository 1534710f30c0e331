package ixengine

import (
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/visualfc/gid"

	"overcomplete/kernel/engine"
)

// Where in cells a panic comes from that passes through compiled code. The interpreter calls
// a function of a cell for compiled code (the less of sort.Slice, a handler, a
// String method) on a frame without a caller, so that no way leads from the goroutine's
// root to the place of a panic. So such a call is watched, and a panic that leaves it is
// noted with its frames. The panic's value stays as it is, for compiled code may look at it.

// A crossing is a panic that has left a function of a cell for compiled code.
type crossing struct {
	gid    uint64
	value  any // of the panic
	frames []engine.Frame
	// Where it came back from compiled code to a cell: a frame and its place, nil if it did not. A
	// panic that comes from elsewhere is another one.
	at  *frame
	ipc int
}

// crossings are the latest, few of which are ever asked for.
type crossings struct {
	any  atomic.Bool
	mu   sync.Mutex
	list []*crossing
}

const (
	keptCrossings = 16
	mostFrames    = 64 // as many as the interpreter gives of a panic in cells alone
)

// A panic that compiled code has recovered from does not take its place from here: the
// last one of a goroutine is the only one that can still be on its way.
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

// back notes that the panic on its way comes to fr from the compiled code that fr has called.
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

// framesOf returns the frames of the panic p beyond those below root: it has come back to the
// innermost of these, or, if inWorker is set, another goroutine had it.
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

// same reports whether two panics' values are one: equal ones need not be, and some cannot be compared.
func same(a, b any) bool { return *(*eface)(unsafe.Pointer(&a)) == *(*eface)(unsafe.Pointer(&b)) }

// join puts the frames of a panic before those of the call of compiled code that it came
// through. Where that is on the same line, as with a short function literal, the line would
// stand there twice.
func join(inner, outer []engine.Frame) []engine.Frame {
	if len(inner) > 0 && len(outer) > 0 {
		if a, b := inner[len(inner)-1], outer[0]; a.Cell == b.Cell && a.Line == b.Line {
			outer = outer[1:]
		}
	}
	return slices.Concat(inner, outer)
}

// watchCallbacks has the calls of a function that compiled code makes watched.
func (s *Session) watchCallbacks(instrs []instruction) {
	if len(instrs) == 0 {
		return
	}
	first := instrs[0]
	instrs[0] = func(fr *frame) {
		caller := field[*frame](unsafe.Pointer(fr), layout.caller)
		if caller == nil || field[*ixgo.Interp](unsafe.Pointer(caller), layout.interp) != nil {
			first(fr)
			return
		}
		defer s.crossed(caller)
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
	if _, isStop := p.(stopSignal); !isStop {
		deeper, _ := s.crossings.framesOf(p, root, false)
		frames := join(deeper, s.liveFrames(root))
		frames = frames[:min(len(frames), mostFrames)]
		s.crossings.add(&crossing{gid: gid.Get(), value: p, frames: frames})
		value := p
		if e, ok := p.(ixgo.PanicError); ok {
			value = e.Value
		}
		if s.opt.Background != nil && !same(value, http.ErrAbortHandler) && s.stop.self() == nil && served() {
			s.opt.Background(s.valueError(value, frames))
		}
	}
	panic(p)
}

// served reports whether a server has called the function that the calling goroutine is in, and will
// only write its own stack to a log.
func served() bool {
	stack := make([]byte, 64<<10)
	text := string(stack[:runtime.Stack(stack, false)])
	return strings.Contains(text, "net/http.(*conn).serve(") && strings.Count(text, "ixgo.(*Interp).callFunctionByReflect(") == 1
}
