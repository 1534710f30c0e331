package ixengine

import (
	"reflect"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
)

// Defer statements.

// deferred implements a defer statement where the interpreter's own does not do.
func (s *Session) deferred(interp *ixgo.Interp, in *ssa.Defer, r *registers, old instruction) instruction {
	switch f := in.Call.Value.(type) {
	case *ssa.Function, *ssa.MakeClosure:
		return nil
	case *ssa.Builtin:
		if fn := builtinFunc(f); fn != nil {
			last := lastDeferred(in, r)
			return func(fr *frame) {
				old(fr)
				setField[any](last(fr), deferLayout.fn, fn)
			}
		}
		return nil
	}
	if in.Call.IsInvoke() {
		return s.deferredMethod(interp, in, r, old)
	}
	// If the function is nil, the deferred call panics, not the statement.
	value := r.of(in.Call.Value)
	return func(fr *frame) {
		stack := stackOf(fr)
		f := stack[value]
		if isNilFunc(f) {
			stack[value] = reflect.MakeFunc(reflect.TypeOf(f), func([]reflect.Value) []reflect.Value {
				var nothing func()
				nothing()
				return nil
			}).Interface()
			defer func() { stack[value] = f }()
		}
		old(fr)
	}
}

// lastDeferred returns what finds the call that the statement in has deferred: it is the first of a list, that of the frame or,
// in the body of a loop over a function, that of the function around it.
func lastDeferred(in *ssa.Defer, r *registers) func(fr *frame) unsafe.Pointer {
	if in.DeferStack == nil {
		return func(fr *frame) unsafe.Pointer { return field[unsafe.Pointer](unsafe.Pointer(fr), deferred) }
	}
	list := r.of(in.DeferStack)
	return func(fr *frame) unsafe.Pointer { return *(*unsafe.Pointer)(dataOf(stackOf(fr)[list])) }
}

// builtinFunc returns a function that does what b does in a defer or go statement, nil if the interpreter does it right.
func builtinFunc(b *ssa.Builtin) any {
	switch b.Name() {
	case "delete":
		return deleteFrom
	case "clear":
		return func(x any) { reflect.ValueOf(x).Clear() }
	}
	return nil
}
