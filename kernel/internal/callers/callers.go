// Package callers lets compiled code see functions of cells on the call stack.
//
// Functions of cells have no code of their own. On Go's stack stand functions of the kernel in their place, so
// runtime.Callers would return dozens of these, and none of the cell. A module that keeps the stack with an error, or
// that logs the caller's position, would be useless. So the kernel compiles modules with Callers, Caller, CallersFrames
// and FuncForPC in place of the functions of the same names in package runtime.
//
// A position in a cell gets a program counter of its own, at which there is no code. It is valid in all programs of the
// process, and keeps its meaning when the cell's program is gone.
package callers

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"overcomplete/internal/module"
)

// first is the first program counter of a cell's position, and step the distance between two. Program counters that
// callers adjust by one keep their meaning.
const (
	first = ^uintptr(0)/2 + 1 + step/2
	step  = 16
)

// A position is where a function of a cell is. Its memory layout is that of a runtime.Func of an inlined function.
type position struct {
	ones            uint32
	pc              uintptr
	function, file  string
	line, startLine int32
}

// table holds all positions that have a program counter.
var table struct {
	sync.RWMutex
	pcs  map[position]uintptr // the keys have no pc
	list []*position
}

// PC returns the program counter of the given line in a function of a cell.
func PC(function, file string, line int) uintptr {
	key := position{ones: ^uint32(0), function: function, file: file, line: int32(line), startLine: int32(line)}
	table.Lock()
	defer table.Unlock()
	pc, ok := table.pcs[key]
	if !ok {
		if table.pcs == nil {
			table.pcs = map[position]uintptr{}
		}
		pc = first + step*uintptr(len(table.list))
		table.pcs[key] = pc
		key.pc = pc
		table.list = append(table.list, &key)
	}
	return pc
}

// find returns the position with the given program counter, or nil if the program counter is that of compiled code or
// of nothing.
func find(pc uintptr) *position {
	if pc < first-step/2 {
		return nil
	}
	table.RLock()
	defer table.RUnlock()
	if i := (pc - (first - step/2)) / step; i < uintptr(len(table.list)) {
		return table.list[i]
	}
	return nil
}

// FuncForPC is runtime.FuncForPC, also for program counters of cells. Then the method FileLine of the result returns the
// position in the cell.
func FuncForPC(pc uintptr) *runtime.Func {
	if p := find(pc); p != nil {
		return (*runtime.Func)(unsafe.Pointer(p))
	}
	return runtime.FuncForPC(pc)
}

// resolvedFrames is the offset of the field of a runtime.Frames that holds what Next returns.
var resolvedFrames = func() uintptr {
	f, ok := reflect.TypeFor[runtime.Frames]().FieldByName("frames")
	if !ok || f.Type != reflect.TypeFor[[]runtime.Frame]() {
		panic("callers: this Go keeps the frames of a runtime.Frames otherwise")
	}
	return f.Offset
}()

// CallersFrames is runtime.CallersFrames, also for program counters of cells.
func CallersFrames(pcs []uintptr) *runtime.Frames {
	if !slices.ContainsFunc(pcs, func(pc uintptr) bool { return find(pc) != nil }) {
		return runtime.CallersFrames(pcs)
	}
	frames := new(runtime.Frames)
	*(*[]runtime.Frame)(unsafe.Add(unsafe.Pointer(frames), resolvedFrames)) = expandAll(pcs)
	return frames
}

// expandAll returns the frames of program counters.
func expandAll(pcs []uintptr) (list []runtime.Frame) {
	for len(pcs) > 0 {
		if p := find(pcs[0]); p != nil {
			list = append(list, runtime.Frame{PC: pcs[0], Func: FuncForPC(pcs[0]), Function: p.function, File: p.file, Line: int(p.line), Entry: p.pc})
			pcs = pcs[1:]
			continue
		}
		n := slices.IndexFunc(pcs, func(pc uintptr) bool { return find(pc) != nil })
		if n < 0 {
			n = len(pcs)
		}
		list = append(list, expand(pcs[:n])...)
		pcs = pcs[n:]
	}
	return list
}

// expand returns the frames of program counters of compiled code.
func expand(pcs []uintptr) (list []runtime.Frame) {
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.PC != 0 {
			list = append(list, f)
		}
		if !more {
			return list
		}
	}
}

// cells holds the function that was passed to SetCells.
var cells atomic.Pointer[func() []uintptr]

// SetCells sets the function that returns the program counters of the calls of cells on the calling goroutine's stack,
// innermost first, and returns the previous function. If f is nil, cells have no calls.
func SetCells(f func() []uintptr) (previous func() []uintptr) {
	next := &f
	if f == nil {
		next = nil
	}
	if old := cells.Swap(next); old != nil {
		previous = *old
	}
	return previous
}

// watched is set by Watch.
var watched atomic.Bool

// Watch says that code of this process may call Callers or Caller. Until then, the kernel need not record which calls
// of cells are below calls by compiled code.
func Watch() { watched.Store(true) }

// Watched reports whether Watch was called.
func Watched() bool { return watched.Load() }

// Callers is runtime.Callers, with functions of cells in place of the kernel's functions.
//
// On the stack, calls of compiled code and of cells may alternate. The result has the innermost calls of compiled code
// and then those of cells.
func Callers(skip int, pcs []uintptr) int { return copy(pcs, from(skip)) }

// Caller is runtime.Caller, with functions of cells in place of the kernel's functions.
func Caller(skip int) (pc uintptr, file string, line int, ok bool) {
	pcs := from(skip + 1)
	if len(pcs) == 0 {
		return 0, "", 0, false
	}
	f, _ := CallersFrames(pcs[:1]).Next()
	return pcs[0], f.File, f.Line, f.PC != 0
}

// self is the name of this package.
var self = module.Package("kernel/internal/callers")

// OfCells returns what runtime.Callers returns to a function of a cell, if the calls of cells are those given.
func OfCells(calls []uintptr) []uintptr {
	return slices.Concat([]uintptr{reflect.ValueOf(runtime.Callers).Pointer() + 1}, calls, []uintptr{goexit()})
}

// goexit returns the last entry of all stacks. Some code ignores the last entry, so it must not be that of a cell.
var goexit = sync.OnceValue(func() uintptr {
	pc := make(chan uintptr)
	go func() {
		var pcs [8]uintptr
		pc <- pcs[runtime.Callers(0, pcs[:])-1]
	}()
	return <-pc
})

// DebugStack is debug.Stack, with functions of cells in place of the kernel's functions.
func DebugStack() []byte {
	buf := make([]byte, 64)
	head, _, _ := bytes.Cut(buf[:runtime.Stack(buf, false)], []byte("\n"))
	text := append(slices.Clip(head), '\n')
	for _, f := range expandAll(from(1)) {
		text = fmt.Appendf(text, "%s(...)\n\t%s:%d\n", f.Function, f.File, f.Line)
	}
	return text
}

// PrintStack is debug.PrintStack, with functions of cells in place of the kernel's functions.
func PrintStack() { os.Stderr.Write(DebugStack()) }

// Stack is runtime.Stack, with functions of cells in place of the kernel's functions if all is false.
func Stack(buf []byte, all bool) int {
	if all {
		return runtime.Stack(buf, true)
	}
	return copy(buf, DebugStack())
}

// from returns the stack of the function that has called a function of this package. It begins with the function of this
// package, less the first skip entries.
func from(skip int) []uintptr {
	all := make([]uintptr, 64)
	n := runtime.Callers(0, all)
	for n == len(all) {
		all = make([]uintptr, 2*len(all))
		n = runtime.Callers(0, all)
	}
	all = all[:n]
	names := make([]string, n)
	begin, end := 0, n // all[begin:end] are the function of this package and the calls of compiled code above cells
	for i := range all {
		f, _ := runtime.CallersFrames(all[i : i+1]).Next()
		names[i] = f.Function
		if strings.HasPrefix(names[i], self+".") {
			begin = i
		}
		if ofKernel(names[i]) {
			end = i
			break
		}
	}
	if end < n {
		for end > begin+1 && strings.HasPrefix(names[end-1], "reflect.") {
			end--
		}
		all = all[:end:end]
		if f := cells.Load(); f != nil {
			all = append(all, (*f)()...)
		}
		all = append(all, goexit())
	}
	return all[min(begin+max(skip, 0), len(all)):]
}

// ofKernel reports whether a function belongs to the part of the kernel that calls compiled code for cells.
func ofKernel(function string) bool {
	if strings.HasPrefix(function, "github.com/goplus/") {
		return true
	}
	folder, ok := module.Folder(function)
	return ok && strings.HasPrefix(folder, "kernel/internal/") && !strings.HasPrefix(folder, "kernel/internal/callers.")
}
