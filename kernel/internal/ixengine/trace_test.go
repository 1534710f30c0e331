package ixengine

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"overcomplete/kernel/engine"
)

// TestOwnFaults: a misuse of reflection by the engine is the engine's fault; a misuse by a cell and a cell's
// own panic are the cell's fault.
func TestOwnFaults(t *testing.T) {
	recovered := func(f func()) (own bool) {
		defer func() { own = isOwnFault(recover()) }()
		f()
		return false
	}
	var none map[string]int
	for _, c := range []struct {
		name string
		f    func()
		own  bool
	}{
		{"an element that is no value", func() { reflect.ValueOf(map[string]any{}).SetMapIndex(reflect.ValueOf("a"), reflect.ValueOf(1).Elem()) }, true},
		{"a value of another type", func() { reflect.ValueOf(new(int)).Elem().Set(reflect.ValueOf("")) }, true},
		{"a nil map", func() { reflect.ValueOf(none).SetMapIndex(reflect.ValueOf("a"), reflect.ValueOf(1)) }, false},
		{"an error", func() { panic(errors.New("x")) }, false},
		{"a call by reflection", func() { reflect.ValueOf(reflect.ValueOf(1).Len).Call(nil) }, false},
	} {
		if got := recovered(c.f); got != c.own {
			t.Errorf("%s is the engine's fault: %v", c.name, got)
		}
	}
	s := fresh(t, Options{})
	run(t, s, "import (\"errors\"; \"reflect\")\nfunc f(x any) int { return reflect.ValueOf(x).Len() }\nfunc g() { panic(errors.New(\"reflect: no\")) }")
	for range 5 {
		for _, src := range []string{"f(1)", "reflect.ValueOf(1).Len()", "reflect.ValueOf(1).SetInt(2)", "g()", "panic(\"reflect: no\")"} {
			_, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: src})
			if e, ok := err.(*engine.Error); !ok || !strings.Contains(e.Message, "reflect") || len(e.Hints) > 0 && e.Hints[0] == reportFault {
				t.Errorf("%s ends with %+v", src, err)
			}
		}
	}
}
