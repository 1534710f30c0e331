package ixengine

import (
	"reflect"
	"regexp"
	"strings"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/visualfc/funcval"
	"github.com/visualfc/gid"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/internal/callers"
)

// pointerOf implements reflect.Value.Pointer. A function of a cell has no code of its own. Its program counter, which
// runtime.FuncForPC understands, is the same in all programs of a session.
func pointerOf(v reflect.Value) uintptr {
	if v.Kind() != reflect.Func || v.IsNil() || !v.CanInterface() {
		return v.Pointer()
	}
	value := v.Interface()
	if c := closureOf(dataOf(value)); c != nil {
		return functionPC(c.fn.fn)
	}
	if inner, n := funcval.Get(value); n == 1 && inner.Fn == interpretedCode() {
		return functionPC((*interpFunc)(unsafe.Pointer(inner)).fn)
	}
	return v.Pointer()
}

// functionPC returns the program counter of the beginning of a function.
func functionPC(fn unsafe.Pointer) uintptr {
	f := field[*ssa.Function](fn, layout.fn)
	at := f.Prog.Fset.Position(f.Pos())
	return callers.PC(runtimeName(f), at.Filename, at.Line)
}

// runtimeName returns the name of a function as runtime.Frame.Function has it.
func runtimeName(f *ssa.Function) string {
	name, _ := fixedFuncName(f)
	return asInGo(name)
}

// asInGo changes the interpreter's name of a function to Go's. The statements of a cell belong to main.main.
func asInGo(name string) string {
	if strings.Contains(name, ".func") { // literals within a literal have no "func" before their numbers
		if at := literal.FindStringIndex(name); at != nil {
			name = name[:at[1]] + strings.ReplaceAll(name[at[1]:], ".func", ".")
		}
	}
	if rest, ok := strings.CutPrefix(name, "main."+cellFunc); ok {
		return "main.main" + rest
	}
	if rest, ok := strings.CutPrefix(name, "main."+initPrefix); ok {
		return "main.init" + strings.TrimLeft(rest, "0123456789")
	}
	return name
}

// literal matches the part of a function's name that stands for a function literal.
var literal = regexp.MustCompile(`\.func\d+`)

// Calls returns the program counters of the calls of cells on the calling goroutine's stack; see engine.Session.
func (s *Session) Calls() []uintptr {
	t := &thread{gid: gid.Get(), g: s.stop.self()}
	root := &frame{}
	if t.g != nil && t.g.root != nil {
		root = t.g.root
	}
	if v, ok := s.debug.segments.Load(t.gid); ok {
		if segments := *v.(*[]*frame); len(segments) > 0 {
			root = segments[len(segments)-1]
		}
	}
	t.fr = innermost(root)
	return s.pcs(t)
}

// pcs returns the program counters of the calls of cells on the stack of t, innermost first. They include the calls that
// a panic has ended, if deferred calls are running.
func (s *Session) pcs(t *thread) (list []uintptr) {
	var above *frame
	for _, fr := range s.calls(t) {
		if above == nil || callerOf(above) != fr {
			for _, f := range fr.CallerFrames() {
				if f.Line > 0 {
					list = append(list, callers.PC(asInGo(f.Function), f.File, f.Line))
				}
			}
		}
		above = fr
	}
	return list
}

// pcOf returns the program counter of what fr is executing. It returns 0 if fr belongs to a generated function, or to an
// older version of a function that is calling the current version.
func (s *Session) pcOf(fr *frame) uintptr {
	f := functionOfFrame(fr)
	if isForwarding(fr) || isGenerated(f) {
		return 0
	}
	at := s.position(fr)
	if !at.IsValid() {
		return 0
	}
	return callers.PC(runtimeName(f), at.Filename, at.Line)
}

// callerPC returns the program counter of what fr is executing or, if it has none, that of fr's caller.
func (s *Session) callerPC(fr *frame) uintptr {
	for ; fr != nil && interpOf(fr) != nil && functionOf(fr) != nil; fr = callerOf(fr) {
		if pc := s.pcOf(fr); pc != 0 {
			return pc
		}
	}
	return 0
}

// callersOf implements runtime.Callers for cells.
func (s *Session) callersOf(fr *frame, skip int, pcs []uintptr) int {
	callers.Watch()
	all := callers.OfCells(s.pcs(&thread{gid: gid.Get(), g: s.stop.self(), fr: fr}))
	return copy(pcs, all[min(max(skip, 0), len(all)):])
}

// caller implements runtime.Caller for cells.
func (s *Session) caller(fr *frame, skip int) (pc uintptr, file string, line int, ok bool) {
	var pcs [1]uintptr
	if s.callersOf(fr, skip+1, pcs[:]) == 0 {
		return 0, "", 0, false
	}
	f, _ := callers.CallersFrames(pcs[:]).Next()
	return pcs[0], f.File, f.Line, true
}

// interpFunc is the memory layout of a func value of the interpreter.
type interpFunc struct {
	funcval.FuncVal
	interp *ixgo.Interp
	fn     unsafe.Pointer
}
