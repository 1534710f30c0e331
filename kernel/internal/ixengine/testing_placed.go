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

// A placedT, placedB or placedF is a test that a cell passes to compiled code, for example to the assertions of a
// module. It puts the position in the cell in front of the messages, as callTesting does for calls by cells. It also
// removes the kernel's own functions from call stacks in the messages.
type (
	placedT struct {
		*testing.T
		messages
	}
	placedB struct {
		*testing.B
		messages
	}
	placedF struct {
		*testing.F
		messages
	}
)

// messages has the methods of a test that write messages.
type messages struct {
	test    testing.TB
	session *Session
}

func (m messages) Log(args ...any) { m.test.Log(m.placed(fmt.Sprintln(args...))) }
func (m messages) Logf(format string, args ...any) {
	m.test.Log(m.placed(fmt.Sprintf(format, args...)))
}
func (m messages) Error(args ...any) { m.test.Error(m.placed(fmt.Sprintln(args...))) }
func (m messages) Errorf(format string, args ...any) {
	m.test.Error(m.placed(fmt.Sprintf(format, args...)))
}
func (m messages) Fatal(args ...any) { m.test.Fatal(m.placed(fmt.Sprintln(args...))) }
func (m messages) Fatalf(format string, args ...any) {
	m.test.Fatal(m.placed(fmt.Sprintf(format, args...)))
}
func (m messages) Skip(args ...any) { m.test.Skip(m.placed(fmt.Sprintln(args...))) }
func (m messages) Skipf(format string, args ...any) {
	m.test.Skip(m.placed(fmt.Sprintf(format, args...)))
}

// placed returns a message with the position of the cell's call in front.
func (m messages) placed(text string) string {
	place := ""
	if fr, ok := m.session.tests.callers.Load(gid.Get()); ok {
		place = m.session.placeOf(fr.(*frame), reflect.ValueOf(m.test).Pointer())
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

// placeTest returns the value that compiled code gets in place of x, an argument of an interface type. If x is a test,
// the value is a placedT, placedB or placedF, and it is always the same for the same x.
func (s *Session) placeTest(x any) any {
	if !s.tests.running.Load() {
		return x
	}
	var placed any
	switch t := x.(type) {
	case *testing.T:
		placed = &placedT{t, messages{t, s}}
	case *testing.B:
		placed = &placedB{t, messages{t, s}}
	case *testing.F:
		placed = &placedF{t, messages{t, s}}
	default:
		return x
	}
	placed, _ = s.tests.placed.LoadOrStore(x, placed)
	return placed
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

// callsModule reports whether a call goes to a compiled package that belongs to another module.
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

// inTests returns an instruction that executes the given call of a module's package. While tests run, the instruction
// also records the call.
func (s *Session) inTests(call instruction) instruction {
	return func(fr *frame) {
		if s.tests.running.Load() {
			defer s.tests.calling(fr)()
		}
		call(fr)
	}
}

// takesTest reports whether t is an interface through which compiled code writes the messages of a test. A placedT
// implements such an interface if a test does.
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
