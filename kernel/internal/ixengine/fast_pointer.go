package ixengine

import (
	"reflect"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/visualfc/funcval"
)

// pointerOf implements reflect.Value.Pointer. For a function of the same program it is the key that the interpreter's
// runtime.FuncForPC finds their names by.
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
		if m := (*interpFunc)(unsafe.Pointer(inner)); m.interp == interpOf(fr) { // what the interpreter itself returns
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
