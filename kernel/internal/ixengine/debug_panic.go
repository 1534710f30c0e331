package ixengine

import (
	"reflect"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/engine"
)

// Stopping at panics. While a debugger asks for this, each function of a cell runs under a deferred function
// of the session. A panic reaches the session's function first, when no deferred call of a cell has run
// yet and the frames are intact.

// A seenPanic is a panic for which panicsIn has already decided whether to stop. It is now passing through outer
// functions.
type seenPanic struct {
	value any
	depth int // depth of the last function that the panic left
}

// guarded executes a function of a cell in the frame fr. The parameter first is the function's first instruction, and
// instrs[1:] are the others. If the function panics, and the debugger asks to stop at this panic, guarded stops the
// goroutine there. The panic then goes on.
func (s *Session) guarded(fr *frame, instrs []instruction, first instruction) {
	returned := false
	defer func() {
		if returned {
			return
		}
		p := recover()
		if p == nil { // the goroutine is being ended
			return
		}
		s.panicsIn(fr, p)
		panic(p)
	}()
	first(fr)
	for {
		ipc := field[int](unsafe.Pointer(fr), layout.ipc)
		if ipc == -1 {
			break
		}
		setField(unsafe.Pointer(fr), layout.ipc, ipc+1)
		instrs[ipc](fr)
	}
	returned = true
}

// panicsIn stops the calling goroutine if the debugger asks to stop at the panic p, which is about to
// propagate out of the function of the frame fr.
func (s *Session) panicsIn(fr *frame, p any) {
	d := s.debug.now.Load()
	filter := engine.PanicFilter(s.debug.panics.Load())
	if d == nil || filter == engine.NoPanics {
		return
	}
	value := panicValue(p)
	switch value.(type) {
	case stopSignal, exitSignal:
		return
	}
	t := d.thread(fr)
	if t == nil {
		return
	}
	t.panicking = true
	calls := s.calls(t)
	d.mu.Lock()
	seen := d.seen[t.gid]
	isAgain := seen.depth > len(calls) && same(seen.value, value)
	d.seen[t.gid] = seenPanic{value, len(calls)}
	isBusy := d.busy[t.gid] > 0
	d.mu.Unlock()
	if isAgain || isBusy || filter == engine.UncaughtPanics && recovers(calls) {
		return
	}
	text := tidy(panicText(value))
	d.stop(t, func() (engine.DebugEvent, bool) {
		return engine.DebugEvent{Reason: "panic", Text: text}, d.filter != engine.NoPanics
	})
}

// recovers reports whether a deferred call of one of the frames may recover.
func recovers(calls []*frame) bool {
	for _, fr := range calls {
		for p := field[unsafe.Pointer](unsafe.Pointer(fr), deferred); p != nil; p = field[unsafe.Pointer](p, deferLayout.tail) {
			if f := deferredFunction(field[any](p, deferLayout.fn)); f != nil && callsRecover(f) {
				return true
			}
		}
	}
	return false
}

// deferLayout holds the offsets of the fields of the interpreter's deferred calls and closures.
var deferLayout = func() (l struct {
	typ      reflect.Type
	fn, tail uintptr
}) {
	f, _ := reflect.TypeFor[ixgo.Frame]().FieldByName("_defer")
	t := f.Type.Elem()
	fn, ok1 := t.FieldByName("fn")
	tail, ok2 := t.FieldByName("tail")
	if !ok1 || !ok2 || fn.Type.Kind() != reflect.Interface || tail.Type != f.Type {
		panic("ixengine: this ixgo keeps deferred calls otherwise")
	}
	l.typ, l.fn, l.tail = t, fn.Offset, tail.Offset
	return l
}()

// deferredFunction returns the function of a deferred call, or nil if it is not known.
func deferredFunction(fn any) *ssa.Function {
	if f, ok := fn.(*ssa.Function); ok {
		return f
	}
	v := reflect.ValueOf(fn)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	pfn := v.Elem().FieldByName("pfn") // field of a closure
	if !pfn.IsValid() || pfn.Kind() != reflect.Pointer || pfn.IsNil() {
		return nil
	}
	return field[*ssa.Function](pfn.UnsafePointer(), layout.fn)
}

// callsRecover reports whether a function calls recover itself.
func callsRecover(f *ssa.Function) bool {
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if call, ok := in.(*ssa.Call); ok {
				if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "recover" {
					return true
				}
			}
		}
	}
	return false
}
