package ixengine

import (
	"context"
	"fmt"
	"go/types"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/visualfc/gid"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/engine"
)

// The compiled package testing runs the tests of cells. It calls functions of cells in its own goroutines,
// where a panic would end the process; it ends tests by runtime.Goexit; and it looks for the positions of
// messages on Go's stack. So the engine watches a cell's calls of package testing while tests run.

// tests is the state of the tests in progress.
type tests struct {
	running atomic.Bool
	helpers sync.Map // set of helpers: helper -> true
	placed  sync.Map // by test: the placedT, placedB or placedF that compiled code gets
	callers sync.Map // by goroutine id: the *frame that has called a package of a module
}

// A helper is a cell's function that has called the method Helper of a test.
type helper struct {
	test     uintptr
	function string
}

// Test calls fn, which may run tests of cells; see engine.Tester.
func (s *Session) Test(ctx context.Context, fn func(guard func(f any) any)) error {
	s.tests.running.Store(true)
	defer func() {
		s.tests.running.Store(false)
		s.tests.helpers.Clear()
		s.tests.placed.Clear()
		s.tests.callers.Clear()
	}()
	return s.Call(ctx, func() {
		fn(func(f any) any { return s.guard(reflect.ValueOf(f), nil).Interface() })
	})
}

// guard wraps f, a function of a cell, in a function of the same type. The wrapper calls f as a goroutine of the
// running cell. A panic in f fails the test that is f's first argument or, if f has no such argument, the test passed
// to guard. Once the cell is being stopped, tests that have not begun are skipped. If f is not a function, or is nil,
// guard returns it unchanged.
func (s *Session) guard(f reflect.Value, test testing.TB) reflect.Value {
	if f.Kind() != reflect.Func || f.IsNil() {
		return f
	}
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) (results []reflect.Value) {
		test, own := test, false
		if len(args) > 0 {
			if t, ok := args[0].Interface().(testing.TB); ok {
				test, own = t, true
			}
		}
		if own && s.stop.self() == nil && s.stop.stopping(s.stop.runOf(nil)) {
			test.Skip("not run: the cell has been stopped") // skipped, because it has not failed
		}
		err := s.protect(func() { results = f.Call(args) })
		if err == nil {
			return results
		}
		fail(test, own, err)
		for t := range f.Type().Outs() {
			results = append(results, reflect.Zero(t))
		}
		return results
	})
}

// protect calls f and returns the error of its panic, or nil if it does not panic. If f is called by a goroutine of a
// cell and panics because that goroutine must stop, the panic continues.
func (s *Session) protect(f func()) (err *engine.Error) {
	if g := s.stop.self(); g != nil {
		defer func() {
			if p := recover(); p != nil {
				if err = s.panicked(p, g.root); err.Kind == engine.Interrupted {
					panic(p)
				}
			}
		}()
		f()
		return nil
	}
	run := s.stop.runOf(nil)
	g := &goroutine{run: run, cell: run.cell, source: "testing"}
	s.stop.add(g, nil)
	defer s.stop.leave(g)
	return s.runBody(g, nil, func(*frame) { f() })
}

// fail makes test fail because of err, the error of a panic. If own is set, the calling goroutine belongs to the test,
// and fail ends the goroutine. If the panic is in an example function, test is nil. In this case the error is only
// printed, and the example fails because its output is wrong.
func fail(test testing.TB, own bool, err *engine.Error) {
	text, place := "panic: "+err.Message, ""
	if err.Kind == engine.Exit {
		text = fmt.Sprintf("the test called os.Exit(%d)", err.ExitCode)
	}
	if len(err.Frames) > 0 {
		place = placeMark(err.Frames[0].Cell, err.Frames[0].Line)
	}
	trace := err.Traceback()
	text = strings.Join(append([]string{text}, trace[1+strings.Count(err.Message, "\n"):]...), "\n")
	switch {
	case test == nil:
		fmt.Fprintln(os.Stdout, text)
		return
	case err.Kind == engine.Interrupted: // the cell itself reports the interrupt
		test.Fail()
	default:
		test.Error(place + text)
	}
	if own {
		test.FailNow()
	}
}

func placeMark(cell string, line int) string {
	return fmt.Sprintf("%s%s:%d%s", engine.PlaceMark, cell, line, engine.PlaceMark)
}

// A testingCall is a call of package testing by a cell.
type testingCall struct {
	session  *Session
	function string
	test     int   // register that holds the test
	message  int   // register of the format or of the list of values; -1 if the call has no message
	guarded  []int // registers of functions to guard
	isFormat bool
	ends     bool // the call may end the goroutine (see enders)
	bubble   bool // the call is of synctest.Test
}

// The sets formats and prints contain methods that log a message. The set enders contains methods that end
// the goroutine.
var (
	formats = map[string]bool{"Logf": true, "Errorf": true, "Fatalf": true, "Skipf": true}
	prints  = map[string]bool{"Log": true, "Error": true, "Fatal": true, "Skip": true}
	enders  = map[string]bool{"FailNow": true, "Fatal": true, "Fatalf": true, "SkipNow": true, "Skip": true, "Skipf": true}
)

// callTesting returns the instruction for a call of package testing, or for a method call of an interface
// that may hold a test. For any other call it returns old.
func (s *Session) callTesting(call *ssa.CallCommon, r *registers, old instruction) instruction {
	var fn *types.Func
	args := call.Args
	isFunc := false // whether the call is of a function, not of a method
	c := &testingCall{session: s, message: -1}
	switch f := call.Value.(type) {
	case *ssa.Function:
		if fn, _ = f.Object().(*types.Func); fn == nil || len(args) == 0 || !ofTesting(fn.Pkg()) {
			return old
		}
		c.test = r.slotOf(args[0])
		args, isFunc = args[1:], f.Signature.Recv() == nil
	default:
		if fn = call.Method; fn == nil {
			return old
		}
		c.test = r.slotOf(call.Value)
	}
	c.function = fn.Name()
	params := call.Signature().Params()
	for i := range min(params.Len(), len(args)) {
		if isFunc {
			break // the first parameter is the test, so stop here
		}
		switch t := params.At(i).Type().Underlying().(type) {
		case *types.Signature:
			c.guarded = append(c.guarded, r.slotOf(args[i]))
		case *types.Interface:
			if c.function == "Fuzz" {
				c.guarded = append(c.guarded, r.slotOf(args[i]))
			}
		case *types.Slice:
			if i == 0 && prints[c.function] {
				c.message = r.slotOf(args[i])
			}
		case *types.Basic:
			if i == 0 && formats[c.function] && t.Kind() == types.String {
				c.message, c.isFormat = r.slotOf(args[i]), true
			}
		}
	}
	if isFunc && fn.Pkg().Path() == "testing/synctest" && c.function == "Test" && len(args) == 1 {
		c.guarded, c.bubble = append(c.guarded, r.slotOf(args[0])), true
	}
	c.ends = enders[c.function]
	if c.message < 0 && len(c.guarded) == 0 && !c.ends && c.function != "Helper" {
		return old
	}
	running := &s.tests.running
	return func(fr *frame) {
		if !running.Load() {
			old(fr)
			return
		}
		c.call(fr, old)
	}
}

func ofTesting(p *types.Package) bool {
	return p != nil && (p.Path() == "testing" || p.Path() == "testing/synctest")
}

// call executes the call of package testing. Before that, it puts the position in the cell in front of the message, if
// there is one, and replaces functions among the arguments with guarded ones (see Session.guard).
func (c *testingCall) call(fr *frame, old instruction) {
	stack := stackOf(fr)
	// A promoted method of T, B or F has the embedded struct as its receiver. That struct has all methods of
	// TB too.
	test, ok := stack[c.test].(testing.TB)
	if !ok {
		old(fr)
		return
	}
	address := reflect.ValueOf(test).Pointer()
	if c.function == "Helper" {
		if calls := fr.CallerFrames(); len(calls) > 0 {
			c.session.tests.helpers.Store(helper{address, calls[0].Function}, true)
		}
	}
	set := func(reg int, v any) (restore func()) {
		given := stack[reg]
		stack[reg] = v
		return func() { stack[reg] = given }
	}
	if c.message >= 0 {
		place := c.session.placeOf(fr, address)
		if c.isFormat {
			format, _ := stack[c.message].(string)
			defer set(c.message, strings.ReplaceAll(place, "%", "%%")+format)()
		} else {
			values, _ := stack[c.message].([]any)
			defer set(c.message, append([]any{place}, values...))()
		}
	}
	for _, reg := range c.guarded {
		f := reflect.ValueOf(stack[reg])
		defer set(reg, c.session.guard(f, test).Interface())()
	}
	if c.bubble {
		c.session.stop.bubbles.Add(1)
		defer c.session.stop.bubbles.Add(-1)
	}
	if !c.ends {
		old(fr)
		return
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		if p := recover(); p != nil {
			panic(p)
		}
		// callAborted runs the deferred calls of the cell's functions.
		c.session.stop.exits.Store(true)
		c.session.stop.ending.Store(gid.Get(), exited)
	}()
	old(fr)
	returned = true
}

// placeOf returns the position at which fr calls a method of a test, enclosed in engine.PlaceMark. It passes over the
// functions that are helpers of the test, and returns the innermost position outside of them. If there is none, it
// returns the innermost position of all.
func (s *Session) placeOf(fr *frame, test uintptr) string {
	first := ""
	for _, f := range fr.CallerFrames() {
		if f.Line == 0 || s.frame(f.Function, f.File, f.Line) == nil {
			continue
		}
		if _, is := s.tests.helpers.Load(helper{test, f.Function}); !is {
			return placeMark(f.File, f.Line)
		}
		if first == "" {
			first = placeMark(f.File, f.Line)
		}
	}
	return first
}
