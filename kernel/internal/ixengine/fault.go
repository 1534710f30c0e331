package ixengine

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"overcomplete/internal/module"
	"overcomplete/kernel/engine"
)

// A panic that ends a cell is the cell's, as a rule: it was its own, or that of a function which it called, or the
// engine panics as Go would. What the engine gets wrong itself panics too, and nobody should look for that in a cell.

const reportFault = "this is a fault of the kernel and not of the cell: please report it, with the cell"

// isOwnFault reports whether p, a panic from which the calling deferred function has just recovered, is a fault of the
// engine: reflection refuses what the engine asks of it. It is not where the stack shows something else, or nothing any
// more.
func isOwnFault(p any) bool {
	switch p := p.(type) {
	case runtime.Error: // also the engine's way to panic as Go would
		return false
	case *reflect.ValueError, error:
	case string:
		if !strings.HasPrefix(p, "reflect") {
			return false
		}
	default:
		return false
	}
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	panicked, reflected := false, false
	for {
		f, more := frames.Next()
		switch name := f.Function; {
		case name == "runtime.gopanic":
			panicked = true
		case !panicked, strings.HasPrefix(name, "runtime."), strings.HasPrefix(name, "internal/"):
		case name == "reflect.Value.call", strings.HasPrefix(name, "reflect.methodValueCall"):
			return false // the cell has called a method of package reflect
		case strings.HasPrefix(name, "reflect."):
			reflected = true
		default:
			return reflected && (strings.HasPrefix(name, "github.com/goplus/ixgo.") || strings.HasPrefix(name, module.Package("kernel/internal/ixengine.")))
		}
		if !more {
			return false
		}
	}
}

// internalError returns the error for a panic of the engine outside of a cell's code.
func internalError(p any, stack []byte) *engine.Error {
	return &engine.Error{Kind: engine.Internal, Message: strings.TrimSuffix(fmt.Sprintf("%v\n%s", p, stack), "\n"), Hints: []string{reportFault}}
}
