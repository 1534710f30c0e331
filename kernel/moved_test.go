package kernel

import (
	"strings"
	"testing"

	"overcomplete/internal/module"
	"overcomplete/kernel/engine"
)

// TestMoved: a notebook that imports a package by its old path still works, together with cells that use the
// new path.
func TestMoved(t *testing.T) {
	k, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	out := &transcript{}
	for _, cell := range []string{
		"import \"" + module.Package("kernel-helpers/display") + "\"\nvar old display.Data = display.Markdown(\"x\")",
		"import new \"" + module.Package("ui/display") + "\"\nvar one new.Data = old",
		"import . \"" + module.Package("kernel-helpers/slider") + "\"\nvar fresh = New",
		"println(len(one.Data) > 0)",
	} {
		if err := k.Execute(t.Context(), engine.Cell{Source: cell}, out); err != nil {
			t.Fatalf("%s\n%v", cell, err)
		}
	}
	if got := out.String(); !strings.Contains(got, "true") {
		t.Errorf("%q", got)
	}
}
