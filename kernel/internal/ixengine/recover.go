package ixengine

import (
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/visualfc/funcval"
	"github.com/visualfc/gid"
	"golang.org/x/tools/go/ssa"
)

// Which panic recover sees: that of the function whose deferred call calls it. The interpreter looks for it in the frame above
// that of the call. There may be others between: of a wrapper, through which a method is reached that is promoted or
// that a pointer has from its element; and of the older version of a function that is declared again. And there is
// none where the deferred function is one of another program: its frames begin at a root of their own.

// A currentPanic is the interpreter's.
type currentPanic = unsafe.Pointer

//go:linkname doRecover github.com/goplus/ixgo.doRecover
func doRecover(fr *frame) any

// panicOf returns the panic that runs the deferred calls of fr, nil if none does.
func panicOf(fr *frame) currentPanic {
	return field[currentPanic](unsafe.Pointer(fr), layout.panicked)
}

// deferrer returns the frame whose panic recover sees in a call of fr: the one whose deferred call that is, if it is one.
func deferrer(fr *frame) *frame {
	caller := callerOf(fr)
	for caller != nil && isWrapper(caller) {
		caller = callerOf(caller)
	}
	return caller
}

// seenBy returns the panic that recover sees in a call of fr.
func seenBy(fr *frame) currentPanic {
	if caller := deferrer(fr); caller != nil {
		return panicOf(caller)
	}
	return nil
}

// isWrapper reports whether a frame is one of a function that nobody has written, and that only calls another one.
func isWrapper(fr *frame) bool {
	pfn := field[unsafe.Pointer](unsafe.Pointer(fr), layout.pfn)
	if pfn == nil {
		return false
	}
	f := field[*ssa.Function](pfn, layout.fn)
	if f.Synthetic == "" {
		return false
	}
	for _, kind := range []string{"wrapper for ", "bound method wrapper for ", "thunk for ", "instantiation wrapper of "} {
		if strings.HasPrefix(f.Synthetic, kind) {
			return true
		}
	}
	return false
}

// recoverIn does the builtin recover in a call of fr.
func recoverIn(fr *frame) any {
	caller := deferrer(fr)
	if caller == callerOf(fr) {
		return doRecover(fr)
	}
	as := *fr
	setField(unsafe.Pointer(&as), layout.caller, caller)
	return doRecover(&as)
}

// recovering returns what does a call of recover.
func recovering(in *ssa.Call, r *registers) instruction {
	result := r.of(in)
	return func(fr *frame) { stackOf(fr)[result] = recoverIn(fr) }
}

// handovers are panics on their way to functions of other programs, which goroutines are about to call.
type handovers struct {
	n  atomic.Int32
	by sync.Map // of currentPanic, by goroutine
}

// handOver makes a call of a function of a cell, which sees the panic p as the caller would.
func (h *handovers) handOver(p currentPanic, call func()) {
	if p == nil {
		call()
		return
	}
	id := gid.Get()
	h.n.Add(1)
	h.by.Store(id, p)
	defer func() {
		h.by.Delete(id)
		h.n.Add(-1)
	}()
	call()
}

// pending reports whether the calling goroutine is on its way to a function that has been handed a panic.
func (h *handovers) pending() bool {
	if h.n.Load() == 0 {
		return false
	}
	_, ok := h.by.Load(gid.Get())
	return ok
}

// taken lets fr, which begins, see the panic that its function has been handed, if there is one.
func (h *handovers) taken(fr *frame) {
	if h.n.Load() == 0 {
		return
	}
	p, ok := h.by.LoadAndDelete(gid.Get())
	if !ok {
		return
	}
	root := new(frame)
	setField(unsafe.Pointer(root), layout.panicked, p.(currentPanic))
	setField(unsafe.Pointer(root), layout.callee, fr)
	setField(unsafe.Pointer(fr), layout.caller, root)
}

// handing returns what makes the deferred call of a function that may be one of another program than interp's: also by way
// of package reflect, as the methods that compiled code finds are those of the program that has made the type.
func (s *Session) handing(interp *ixgo.Interp) func(call func()) {
	return func(call func()) { s.handovers.handOver(panicOf(tryDeferFrame(interp)), call) }
}

// apart returns what makes the deferred call of a compiled function: functions that it calls see no panic.
func apart(interp *ixgo.Interp) func(call func()) {
	return func(call func()) {
		(*sync.Map)(unsafe.Add(unsafe.Pointer(interp), layout.deferMap)).Delete(gid.Get())
		call()
	}
}

// overHook returns the call of the newer version of the function that makes it, which is to see what that sees.
func (s *Session) overHook(call instruction) instruction {
	return func(fr *frame) { s.handovers.handOver(seenBy(fr), func() { call(fr) }) }
}

// isOwn reports whether f, a func value, is a function of interp's program.
func isOwn(interp *ixgo.Interp, f any) bool {
	if c := closureOf(dataOf(f)); c != nil {
		return c.fn.interp == interp
	}
	inner, n := funcval.Get(f)
	return n == 1 && inner.Fn == interpretedCode() && (*interpreted)(unsafe.Pointer(inner)).interp == interp
}

// An interpreted is how the interpreter's own func values lie in memory.
type interpreted struct {
	funcval.FuncVal
	interp *ixgo.Interp
}

// interpretedCode returns the code that these have in common.
var interpretedCode = sync.OnceValue(func() uintptr {
	pfn, _ := reflect.TypeFor[ixgo.Frame]().FieldByName("pfn")
	some := reflect.New(pfn.Type.Elem())
	inner, _ := funcval.Get(makeFunction(some.UnsafePointer(), reflect.TypeFor[func()](), nil).Interface())
	return inner.Fn
})

// panicking reports whether a function of interp's program that compiled code calls sees a panic.
func (s *Session) panicking(interp *ixgo.Interp) bool {
	if s.handovers.pending() {
		return true
	}
	return atomic.LoadInt32((*int32)(unsafe.Add(unsafe.Pointer(interp), layout.deferCount))) != 0 && panicOf(tryDeferFrame(interp)) != nil
}
