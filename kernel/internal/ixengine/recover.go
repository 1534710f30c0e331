package ixengine

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/visualfc/funcval"
	"github.com/visualfc/gid"
	"golang.org/x/tools/go/ssa"
)

// This file determines which panic recover sees: the panic of the function that deferred the call of
// recover's caller. The interpreter looks for the panic only in the frame that called recover's caller. But
// other frames may be in between: a wrapper for a promoted method or for a value method called through a
// pointer, and the older version of a redeclared function. And if the deferred function belongs to another
// program, it has no such caller, because its frames begin at a root of their own.

// A currentPanic is the interpreter's record of a panic.
type currentPanic = unsafe.Pointer

//go:linkname doRecover github.com/goplus/ixgo.doRecover
func doRecover(fr *frame) any

// panicOf returns the panic for which the deferred calls of fr run, or nil if there is none.
func panicOf(fr *frame) currentPanic {
	return field[currentPanic](unsafe.Pointer(fr), layout.panicked)
}

// deferrer returns the frame that called fr, not counting generated wrappers. If the call of fr was deferred, the
// result is the frame that deferred the call. A call of recover in fr then returns the panic of the resulting frame.
func deferrer(fr *frame) *frame {
	caller := callerOf(fr)
	for caller != nil && isWrapper(caller) {
		caller = callerOf(caller)
	}
	return caller
}

// seenBy returns the panic that a call of recover in fr would return, or nil if there is none.
func seenBy(fr *frame) currentPanic {
	if caller := deferrer(fr); caller != nil {
		return panicOf(caller)
	}
	return nil
}

// isWrapper reports whether a frame belongs to a generated function that only calls another function.
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

// panicArg, panicPCs and panicLink are the offsets of the value, of the positions, and of the earlier panic in a
// currentPanic.
var panicArg, panicPCs, panicLink = func() (uintptr, uintptr, uintptr) {
	f, _ := reflect.TypeFor[ixgo.Frame]().FieldByName("_panic")
	arg, hasArg := f.Type.Elem().FieldByName("arg")
	pcs, hasPCs := f.Type.Elem().FieldByName("pcs")
	link, hasLink := f.Type.Elem().FieldByName("link")
	if !hasArg || !hasPCs || !hasLink || arg.Type != reflect.TypeFor[any]() || pcs.Type != reflect.TypeFor[[]uintptr]() || link.Type != f.Type {
		panic("ixengine: this ixgo keeps panics otherwise")
	}
	return arg.Offset, pcs.Offset, link.Offset
}()

// earlierPanics returns the values of the panics, latest first, during which deferred functions below root have panicked.
func earlierPanics(root *frame) (values []any) {
	for fr := root; fr != nil && len(values) == 0; fr = field[*frame](unsafe.Pointer(fr), layout.callee) {
		p := panicOf(fr)
		for n := 0; p != nil && n < mostFrames; n++ {
			if p = field[currentPanic](p, panicLink); p != nil {
				values = append(values, panicValue(field[any](p, panicArg)))
			}
		}
	}
	return values
}

// shortenPanic removes calls in the middle of those that a panic has ended below fr, and positions in the middle of those
// that the panic has recorded. At each call with deferred calls, the interpreter copies all the positions recorded so
// far, once for each of the ended calls. Without the removal, a panic in a deep recursion would take time
// proportional to the square of the depth.
func shortenPanic(fr *frame) {
	callee := func(fr *frame) *frame { return field[*frame](unsafe.Pointer(fr), layout.callee) }
	n, first, last := 0, fr, fr // the last of the first calls that are kept, and the call before the last ones
	for c := callee(fr); c != nil && field[int](unsafe.Pointer(c), layout.ipc) != -1; c = callee(c) {
		if p := panicOf(c); p != nil {
			if pcs := field[[]uintptr](p, panicPCs); len(pcs) > 2*mostFrames {
				setField(p, panicPCs, slices.Concat(pcs[:mostFrames], pcs[len(pcs)-mostFrames:]))
			}
		}
		if n++; n > mostFrames {
			last = callee(last)
		} else {
			first = c
		}
	}
	if n > 2*mostFrames {
		setField(unsafe.Pointer(first), layout.callee, callee(last))
	}
}

// recoverIn implements a call of the builtin recover in fr. It returns nil for the panics by which the kernel implements
// os.Exit and stops a goroutine, for example after an interrupt. In Go, os.Exit, a signal and a fatal error cannot be
// recovered either.
func recoverIn(fr *frame) any {
	caller := deferrer(fr)
	if caller != nil {
		if p := panicOf(caller); p != nil {
			switch panicValue(field[any](p, panicArg)).(type) {
			case exitSignal, stopSignal:
				return nil
			}
		}
	}
	if caller == callerOf(fr) {
		return doRecover(fr)
	}
	as := *fr
	setField(unsafe.Pointer(&as), layout.caller, caller)
	return doRecover(&as)
}

// recovering returns an instruction that implements a call of recover.
func recovering(in *ssa.Call, r *registers) instruction {
	result := r.slotOf(in)
	return func(fr *frame) { stackOf(fr)[result] = recoverIn(fr) }
}

// handovers holds, for each goroutine that is about to call a function of another program, the panic that recover
// returns in that function.
type handovers struct {
	n  atomic.Int32
	by sync.Map // the currentPanic of each goroutine, by its id
}

// handOver executes call(), which calls a function of a cell, and makes recover() in that function return the panic p.
// If p is nil, it only executes call().
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

// pending reports whether the calling goroutine is about to enter a function to which a panic was handed.
func (h *handovers) pending() bool {
	if h.n.Load() == 0 {
		return false
	}
	_, ok := h.by.Load(gid.Get())
	return ok
}

// deliver makes a call of recover in fr see the panic that was handed to fr's function, if there is one. It is
// called when fr begins.
func (h *handovers) deliver(fr *frame) {
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

// handOverPanic returns a function that executes a deferred call and makes recover in the called function return
// interp's current panic. The called function may belong to a program other than interp's. The call may also go through
// package reflect, as compiled code does when it calls a method of a type that another program made.
func (s *Session) handOverPanic(interp *ixgo.Interp) func(call func()) {
	return func(call func()) { s.handovers.handOver(panicOf(tryDeferFrame(interp)), call) }
}

// hidePanic returns a function that runs a deferred call of a compiled function and hides the current panic from it: if
// the compiled function calls back into a cell, recover returns nil there.
func hidePanic(interp *ixgo.Interp) func(call func()) {
	return func(call func()) {
		(*sync.Map)(unsafe.Add(unsafe.Pointer(interp), layout.deferMap)).Delete(gid.Get())
		call()
	}
}

// overHook wraps the given instruction, with which an older version of a function calls the newer version. In the newer
// version, recover() then returns the same panic as it would in the older version.
func (s *Session) overHook(call instruction) instruction {
	return func(fr *frame) { s.handovers.handOver(seenBy(fr), func() { call(fr) }) }
}

// isOwn reports whether f, a func value, is a function of interp's program.
func isOwn(interp *ixgo.Interp, f any) bool {
	if c := closureOf(dataOf(f)); c != nil {
		return c.fn.interp == interp
	}
	inner, n := funcval.Get(f)
	return n == 1 && inner.Fn == interpretedCode() && (*interpFunc)(unsafe.Pointer(inner)).interp == interp
}

// interpretedCode returns the code address that all of the interpreter's func values share.
var interpretedCode = sync.OnceValue(func() uintptr {
	pfn, _ := reflect.TypeFor[ixgo.Frame]().FieldByName("pfn")
	some := reflect.New(pfn.Type.Elem())
	inner, _ := funcval.Get(makeFunction(some.UnsafePointer(), reflect.TypeFor[func()](), nil).Interface())
	return inner.Fn
})

// panicking reports whether a call of recover might return a panic in a function of interp's program if compiled code
// called that function now.
func (s *Session) panicking(interp *ixgo.Interp) bool {
	if s.handovers.pending() {
		return true
	}
	return deferring(interp) && panicOf(tryDeferFrame(interp)) != nil
}
