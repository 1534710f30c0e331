package ixengine

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/goplus/ixgo"

	"overcomplete/kernel/engine"
)

// runError says what ended a run, nil if nothing did.
func (s *Session) runError(err error) *engine.Error {
	if err == nil {
		return nil
	}
	switch e := err.(type) {
	case ixgo.PanicError:
		return s.panicError(e)
	case ixgo.FatalError:
		return s.valueError(e.Value, e.Stack())
	}
	return &engine.Error{Kind: engine.Panic, Message: tidy(err.Error())}
}

func (s *Session) panicError(p ixgo.PanicError) *engine.Error {
	// The panic of a goroutine comes wrapped; the inner one has its stack.
	if inner, ok := p.Value.(ixgo.PanicError); ok {
		return s.panicError(inner)
	}
	return s.valueError(p.Value, p.Stack())
}

func (s *Session) valueError(value any, stack []byte) *engine.Error {
	e := &engine.Error{Kind: engine.Panic, Frames: s.frames(string(stack))}
	switch v := value.(type) {
	case stopSignal:
		e.Message = v.why
		if v.why != stackOverflow {
			e.Kind = engine.Interrupted
		}
		e.Frames = e.Frames[:min(len(e.Frames), 12)]
	case exitSignal:
		e.Kind, e.ExitCode = engine.Exit, v.code
		e.Message = fmt.Sprintf("the cell asked to exit with code %d; the session goes on", v.code)
	default:
		// For a method called on a nil interface the interpreter says it twice.
		e.Message = strings.Replace(tidy(panicText(value)), "runtime error: runtime error: ", "runtime error: ", 1)
	}
	return e
}

// panicText is what a panic says, even when the value's own method panics.
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
	return fmt.Sprint(value)
}

// stackLine is one entry of the stack that the interpreter writes, which looks
// like Go's own: the function, then file, line and offset.
var stackLine = regexp.MustCompile(`(?m)^(\S+)\(\)\n\t(.*):(\d+)(?: \+0x[0-9a-f]+)?$`)

// frames reads a stack and keeps what lies in cells, innermost first.
func (s *Session) frames(stack string) []engine.Frame {
	var list []engine.Frame
	for _, m := range stackLine.FindAllStringSubmatch(stack, -1) {
		line, _ := strconv.Atoi(m[3])
		list = append(list, s.frame(m[1], m[2], line)...)
	}
	return list
}

// frame is a frame of a cell; of other code it is none.
func (s *Session) frame(function, file string, line int) []engine.Frame {
	source, ok := s.sources.line(file, line)
	if !ok {
		return nil
	}
	return []engine.Frame{{Cell: file, Func: funcName(function), Line: line, Source: source}}
}

// noteTrace keeps the frames of a goroutine that is panicking: the interpreter
// reports the panic itself without saying where it was.
func (s *Session) noteTrace(stack []runtime.Frame) {
	i := slices.IndexFunc(stack, func(f runtime.Frame) bool { return f.Function == "runtime.gopanic" })
	if i < 0 {
		return // the goroutine ends well
	}
	var list []engine.Frame
	for _, f := range stack[i+1:] {
		if f.Line > 0 {
			list = append(list, s.frame(f.Function, f.File, f.Line)...)
		}
	}
	s.traceMu.Lock()
	s.trace = list
	s.traceMu.Unlock()
}

func (s *Session) takeTrace() []engine.Frame {
	s.traceMu.Lock()
	defer s.traceMu.Unlock()
	list := s.trace
	s.trace = nil
	return list
}

// funcName makes main.(*T).M of the interpreter (*T).M, and nothing of the function
// that a cell's statements are in.
func funcName(name string) string {
	name = strings.TrimPrefix(name, "main.")
	if name == cellFunc {
		return ""
	}
	if rest, ok := strings.CutPrefix(name, cellFunc+"."); ok {
		return rest
	}
	return name
}
