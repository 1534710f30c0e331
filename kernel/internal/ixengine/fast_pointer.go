package ixengine

import (
	"reflect"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/visualfc/funcval"
)

// pointerOf implements reflect.Value.Pointer. For a function of the same program it returns the key by which
// the interpreter's runtime.FuncForPC finds the function's name.
func pointerOf(fr *frame, v reflect.Value) uintptr {
	if v.Kind() != reflect.Func || v.IsNil() || !v.CanInterface() {
		return v.Pointer()
	}
	value := v.Interface()
	if c := closureOf(dataOf(value)); c != nil {
		if c.fn.interp == interpOf(fr) {
			return uintptr(field[int](c.fn.fn, layout.base))
		}
		return v.Pointer()
	}
	if inner, n := funcval.Get(value); n == 1 {
		if m := (*interpFunc)(unsafe.Pointer(inner)); m.interp == interpOf(fr) { // the result of the interpreter's own implementation
			return uintptr(field[int](m.fn, layout.base))
		}
	}
	return v.Pointer()
}

// interpFunc is the memory layout of a func value of the interpreter.
type interpFunc struct {
	funcval.FuncVal
	interp *ixgo.Interp
	fn     unsafe.Pointer
}
