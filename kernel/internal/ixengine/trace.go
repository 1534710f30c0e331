package ixengine

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/goplus/ixgo"

	"overcomplete/internal/module"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/cycle"
)

// panicked returns the error for the panic that ended the calls below root.
func (s *Session) panicked(p any, root *frame) *engine.Error {
	e := s.placed(p, root)
	if e.Kind == engine.Panic {
		for _, earlier := range earlierPanics(root) {
			if text := tidy(panicText(earlier)); text != e.Message && len(e.Earlier) < 3 {
				e.Earlier = append(e.Earlier, text)
			}
		}
	}
	return e
}

// placed returns the error for the panic p that ended the calls below root, with its place.
func (s *Session) placed(p any, root *frame) *engine.Error {
	// The panic of a function called by compiled code is wrapped, and the inner panic has the function's
	// position. If a library function called the function in a worker, that position differs from the
	// position where the cell called the library function.
	original := p
	var stack []byte
	inWorker := false
	for {
		switch v := p.(type) {
		case ixgo.PanicError:
			stack, p = v.Stack(), v.Value
		case interface{ Recovered() any }:
			inWorker, p = true, v.Recovered()
		default:
			value := p
			if why, ok := s.stop.heeded(p); ok {
				value = stopSignal{why}
			}
			if x := s.crossings.find(original, root, false); x != nil {
				return s.valueError(value, join(x.frames, s.liveFrames(root)))
			}
			frames := s.frames(string(stack))
			if inWorker {
				if x := s.crossings.find(p, root, true); x != nil {
					frames = x.frames
				}
			}
			if stack == nil || inWorker {
				frames = join(frames, s.liveFrames(root))
			}
			return s.valueError(value, frames)
		}
	}
}

// liveFrames returns the positions in cells of the current calls below root.
func (s *Session) liveFrames(root *frame) (list []engine.Frame) {
	fr := innermost(root)
	if fr == root {
		return nil
	}
	for _, f := range fr.CallerFrames() {
		if f.Line > 0 {
			list = append(list, s.frame(f.Function, f.File, f.Line)...)
		}
	}
	return list
}

// callerFrame returns the position in the call with the frame fr (skip 0), or in one of its callers (skip 1 or more).
// The generated methods that call promoted methods have no lines, and do not count, as in Go.
func callerFrame(fr *frame, skip int) (f runtime.Frame, ok bool) {
	for _, f := range fr.CallerFrames() {
		if f.Line == 0 {
			continue
		}
		if skip == 0 {
			return f, true
		}
		skip--
	}
	return runtime.Frame{}, false
}

func (s *Session) valueError(value any, frames []engine.Frame) *engine.Error {
	e := &engine.Error{Kind: engine.Panic, Frames: frames}
	switch v := value.(type) {
	case stopSignal:
		e.Message = v.why
		if v.why != stackOverflow && v.why != outOfMemory && v.why != deadlock {
			e.Kind = engine.Interrupted
		}
		e.Frames = e.Frames[:min(len(e.Frames), 12)]
	case exitSignal:
		e.Kind, e.ExitCode = engine.Exit, v.code
		e.Message = fmt.Sprintf("the cell asked to exit with code %d; the session goes on", v.code)
	default:
		// For a method called on a nil interface the interpreter says "runtime error" twice.
		e.Message = strings.Replace(tidy(panicText(value)), "runtime error: runtime error: ", "runtime error: ", 1)
		e.Message = registeredAt.ReplaceAllString(e.Message, "")
		e.Hints = []string{panicHint(e.Message)}
	}
	return e
}

// registeredAt matches the part of a message in which net/http says where a cell has registered a handler. The place is
// in the kernel, not in the cell.
var registeredAt = regexp.MustCompile(` \(registered at \S*/kernel/internal/\S*\)`)

// panicText returns the text of a panic, even if the value's Error or String method panics.
func panicText(value any) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("%T (its Error or String method panics too: %v)", value, p)
		}
	}()
	switch v := value.(type) {
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	if cycle.In(value) {
		return fmt.Sprintf("a %T that contains itself", value)
	}
	return fmt.Sprint(value)
}

// stackLine matches one entry of a stack in the interpreter's format, which looks like Go's: the function,
// then file, line and offset.
var stackLine = regexp.MustCompile(`(?m)^(\S+)\(\)\n\t(.*):(\d+)(?: \+0x[0-9a-f]+)?$`)

// frames parses a stack and returns the entries in cells, innermost first.
func (s *Session) frames(stack string) []engine.Frame {
	var list []engine.Frame
	for _, m := range stackLine.FindAllStringSubmatch(stack, -1) {
		line, _ := strconv.Atoi(m[3])
		list = append(list, s.frame(m[1], m[2], line)...)
	}
	return list
}

// frame returns the frame for a stack entry in a cell, and no frame for other code.
func (s *Session) frame(function, file string, line int) []engine.Frame {
	source, ok := s.sources.line(file, line)
	if !ok {
		return nil
	}
	return []engine.Frame{{Cell: file, Func: funcName(function), Line: line, Source: source}}
}

// funcName converts the interpreter's main.(*T).M to (*T).M, example.com/p.(*T).M to p.(*T).M, and the
// function that contains a cell's statements to "".
func funcName(name string) string {
	name = strings.TrimPrefix(name, "main.")
	path := name
	if i := strings.IndexAny(name, "[("); i >= 0 {
		path = name[:i]
	}
	name = name[strings.LastIndexByte(path, '/')+1:]
	if name == cellFunc {
		return ""
	}
	if rest, ok := strings.CutPrefix(name, initPrefix); ok {
		return "init" + strings.TrimLeft(rest, "0123456789")
	}
	if rest, ok := strings.CutPrefix(name, cellFunc+"."); ok {
		return rest
	}
	return name
}

// A panic that ends a cell usually comes from the cell: from its own code, from a function that it called, or
// from the engine panicking as Go would. Bugs in the engine cause panics too, and then users should not
// search their cells for the cause.

const reportFault = "this is a fault of the kernel and not of the cell: please report it, with the cell"

// ofNilEmbedded reports whether p is the panic of a promoted method that compiled code has called although the embedded
// interface or pointer is nil, such as Len in sort.Sort(struct{ sort.Interface }{}). The interpreter calls the promoted
// method by reflection, so the panic comes from package reflect.
func ofNilEmbedded(p any) bool {
	e, ok := p.(*reflect.ValueError)
	return p == any("reflect: Method on nil interface value") || ok && e.Method == "reflect.Value.Method" && e.Kind == reflect.Invalid
}

// isOwnFault reports whether p, which the calling deferred function has just recovered, comes from a bug in
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
	panicked, reflected := false, false
	for _, name := range callStack() {
		switch {
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
	}
	return false
}

// catchOwn turns a panic of the session's own code into an error. It must be deferred.
func catchOwn(err *error) {
	if p := recover(); p != nil {
		*err = internalError(p, debug.Stack())
	}
}

// internalError returns the error for a panic in the engine's own code, outside of cell code.
func internalError(p any, stack []byte) *engine.Error {
	return &engine.Error{Kind: engine.Internal, Message: strings.TrimSuffix(fmt.Sprintf("%v\n%s", p, stack), "\n"), Hints: []string{reportFault}}
}
