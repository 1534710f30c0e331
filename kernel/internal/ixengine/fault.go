package ixengine

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"overcomplete/internal/module"
	"overcomplete/kernel/engine"
)

// A panic that ends a cell usually comes from the cell: from its own code, from a function that it called, or
// from the engine panicking as Go would. Bugs of the engine panic too, and users should not search their
// cells for the cause.

const reportFault = "this is a fault of the kernel and not of the cell: please report it, with the cell"

// isOwnFault reports whether p, which the calling deferred function has just recovered, comes from a bug of
// the engine, that is, from a misuse of reflection by the engine. It returns false if the stack shows another
// cause or no longer shows the panic.
func isOwnFault(p any) bool {
	switch p := p.(type) {
	case runtime.Error: // the engine also panics with a runtime.Error, as Go would
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

// catchOwn must be deferred. It turns a panic of the session's own code into an error.
func catchOwn(err *error) {
	if p := recover(); p != nil {
		*err = internalError(p, debug.Stack())
	}
}

// internalError returns the error for a panic in the engine's own code, outside of cell code.
func internalError(p any, stack []byte) *engine.Error {
	return &engine.Error{Kind: engine.Internal, Message: strings.TrimSuffix(fmt.Sprintf("%v\n%s", p, stack), "\n"), Hints: []string{reportFault}}
}
