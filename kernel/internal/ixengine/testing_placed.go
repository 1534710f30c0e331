package ixengine

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
	"testing"

	"github.com/visualfc/gid"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/engine"
)

// A placedTest is a test that compiled code gets from a cell, such as the assertions of a module. It puts the position
// in the cell in front of the messages, as callTesting does for calls by cells. It also removes the kernel's own
// functions from call stacks in the messages.
type placedTest struct {
	testing.TB
	session *Session
}

func (t *placedTest) Log(args ...any) { t.TB.Log(t.placed(fmt.Sprintln(args...))) }
func (t *placedTest) Logf(format string, args ...any) {
	t.TB.Log(t.placed(fmt.Sprintf(format, args...)))
}
func (t *placedTest) Error(args ...any) { t.TB.Error(t.placed(fmt.Sprintln(args...))) }
func (t *placedTest) Errorf(format string, args ...any) {
	t.TB.Error(t.placed(fmt.Sprintf(format, args...)))
}
func (t *placedTest) Fatal(args ...any) { t.TB.Fatal(t.placed(fmt.Sprintln(args...))) }
func (t *placedTest) Fatalf(format string, args ...any) {
	t.TB.Fatal(t.placed(fmt.Sprintf(format, args...)))
}
func (t *placedTest) Skip(args ...any) { t.TB.Skip(t.placed(fmt.Sprintln(args...))) }
func (t *placedTest) Skipf(format string, args ...any) {
	t.TB.Skip(t.placed(fmt.Sprintf(format, args...)))
}

// placed returns a message with the position of the cell's call in front.
func (t *placedTest) placed(text string) string {
	place := ""
	if fr, ok := t.session.tests.callers.Load(gid.Get()); ok {
		place = t.session.placeOf(fr.(*frame), reflect.ValueOf(t.TB).Pointer())
	}
	text = engine.KernelFrame.ReplaceAllStringFunc(text, func(line string) string {
		label := engine.KernelFrame.FindStringSubmatch(line)[1]
		if place == "" || strings.TrimSpace(label) == "" {
			return ""
		}
		return label + strings.ReplaceAll(place, engine.PlaceMark, "") + "\n" // the first line of a stack
	})
	return place + strings.TrimSuffix(text, "\n")
}

// placeTest returns what compiled code gets for x, which is an argument of an interface type: a placedTest if x is a test.
func (s *Session) placeTest(x any) any {
	test, ok := x.(testing.TB)
	if _, already := x.(*placedTest); !ok || already || !s.tests.running.Load() {
		return x
	}
	p, _ := s.tests.placed.LoadOrStore(test, &placedTest{test, s})
	return p
}

// calling records that fr calls a package of a module. The returned function undoes this.
func (t *tests) calling(fr *frame) (returned func()) {
	id := gid.Get()
	before, _ := t.callers.Swap(id, fr)
	return func() {
		if before == nil {
			t.callers.Delete(id)
		} else {
			t.callers.Store(id, before)
		}
	}
}

// callsModule reports whether a call is of a compiled package that belongs to another module.
func callsModule(call *ssa.CallCommon) bool {
	var o types.Object
	if call.IsInvoke() {
		o = call.Method
	} else if f, ok := call.Value.(*ssa.Function); ok && f.Blocks == nil {
		o = f.Object()
	}
	if o == nil || o.Pkg() == nil {
		return false
	}
	first, _, _ := strings.Cut(o.Pkg().Path(), "/")
	return strings.Contains(first, ".")
}

// inTests returns an instruction that executes call, a call of a module's package, and records the call in a test.
func (s *Session) inTests(call instruction) instruction {
	return func(fr *frame) {
		if s.tests.running.Load() {
			defer s.tests.calling(fr)()
		}
		call(fr)
	}
}

// takesTest reports whether t is an interface through which compiled code writes the messages of a test. A placedTest
// implements it if a test does.
func takesTest(t types.Type) bool {
	in, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	writes := false
	for m := range in.Methods() {
		if _, has := testMethods.MethodByName(m.Name()); !has {
			return false
		}
		writes = writes || formats[m.Name()] || prints[m.Name()]
	}
	return writes
}

var testMethods = reflect.TypeFor[testing.TB]()
