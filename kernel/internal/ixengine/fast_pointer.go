package ixengine

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/visualfc/funcval"
	"golang.org/x/tools/go/ssa"
)

// functionPCs gives functions of cells, which have no code of their own, the program counters that
// reflect.Value.Pointer returns and runtime.FuncForPC understands. They are the same in all programs of a session.
type functionPCs struct {
	mu    sync.Mutex
	of    map[string]uintptr // keyed by the function's name and position
	funcs []*runtime.Func
}

// firstPC is the first of these program counters, and stepPC the distance between two. There is no code at these
// addresses.
const (
	firstPC = ^uintptr(0)/2 + 1
	stepPC  = 16
)

//go:linkname funcForPC github.com/goplus/ixgo.runtimeFuncForPC
func funcForPC(fr *frame, pc uintptr) *runtime.Func

// pointerOf implements reflect.Value.Pointer.
func (t *functionPCs) pointerOf(v reflect.Value) uintptr {
	if v.Kind() != reflect.Func || v.IsNil() || !v.CanInterface() {
		return v.Pointer()
	}
	value := v.Interface()
	if c := closureOf(dataOf(value)); c != nil {
		return t.pc(c.fn.interp, c.fn.fn)
	}
	if inner, n := funcval.Get(value); n == 1 && inner.Fn == interpretedCode() {
		m := (*interpFunc)(unsafe.Pointer(inner))
		return t.pc(m.interp, m.fn)
	}
	return v.Pointer()
}

// pc returns the program counter of a function of interp's program.
func (t *functionPCs) pc(interp *ixgo.Interp, fn unsafe.Pointer) uintptr {
	f := field[*ssa.Function](fn, layout.fn)
	name, _ := fixedFuncName(f)
	key := fmt.Sprint(name, f.Prog.Fset.Position(f.Pos()))
	t.mu.Lock()
	defer t.mu.Unlock()
	pc, ok := t.of[key]
	if !ok {
		pc = firstPC + stepPC*uintptr(len(t.funcs))
		fr := new(frame)
		setField(unsafe.Pointer(fr), layout.interp, interp)
		described := funcForPC(fr, uintptr(field[int](fn, layout.base)))
		(*inlinedFunc)(unsafe.Pointer(described)).entry = pc
		t.of[key], t.funcs = pc, append(t.funcs, described)
	}
	return pc
}

// forPC implements runtime.FuncForPC.
func (t *functionPCs) forPC(fr *frame, pc uintptr) *runtime.Func {
	if pc < firstPC {
		return funcForPC(fr, pc)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := (pc - firstPC) / stepPC; i < uintptr(len(t.funcs)) {
		return t.funcs[i]
	}
	return nil
}

// inlinedFunc is the memory layout of the beginning of a runtime.Func of a function without code.
type inlinedFunc struct {
	ones  uint32
	entry uintptr
}

// interpFunc is the memory layout of a func value of the interpreter.
type interpFunc struct {
	funcval.FuncVal
	interp *ixgo.Interp
	fn     unsafe.Pointer
}
