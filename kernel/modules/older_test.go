package modules

import (
	"context"
	"errors"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestOlder: if every kernel contains a module, the module cannot be pinned to an older version, unless the go.mod
// in effect replaces the module. A refusal leaves the pins unchanged.
func TestOlder(t *testing.T) {
	const shared = "example.com/shared"
	for name, c := range map[string]struct {
		files, pin string
		refused    bool
	}{
		"older":                 {pin: shared + "@v0.9.0", refused: true},
		"a branch that is":      {pin: shared + "/more@v0", refused: true},
		"the same":              {pin: shared + "@v1.0.0"},
		"newer":                 {pin: shared + "@v1.1.0"},
		"newest":                {pin: shared + "@latest"},
		"no version":            {pin: shared},
		"another module":        {pin: "example.com/hello@v1.0.0"},
		"older beside a go.mod": {files: "-- go.mod --\nmodule mine\n\ngo 1.21\n", pin: shared + "@v0.9.0", refused: true},
		"replaced in a go.mod":  {files: "-- go.mod --\nmodule mine\n\ngo 1.21\n\nreplace " + shared + " => " + shared + " v0.9.0\n", pin: shared + "@v0.9.0"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.publishOld()
			w.files(c.files)
			e := w.open()
			before, err := e.Get(context.Background(), []string{"example.com/deep@v1.0.0"}, nil)
			if err != nil || len(before) != 1 {
				t.Fatal(before, err, said(err))
			}
			mod := e.mod
			_, err = e.Get(context.Background(), []string{"example.com/embeds@v1.0.0", c.pin}, nil)
			var fault *Error
			if refused := errors.As(err, &fault) && fault.Kind == Conflict && fault.What == shared; refused != c.refused || err != nil && !refused {
				t.Errorf("%v, want refused: %v", err, c.refused)
			}
			if c.refused && (e.mod != mod || len(e.pins) != 1) {
				t.Errorf("pins %v, and\n%s\nin place of\n%s", e.pins, e.mod, mod)
			}
		})
	}
}

// publishOld publishes a version of a module that is older than the version in the kernel.
func (w *world) publishOld() {
	w.publishAs("example.com/shared", "v0.9.0", txtar.Parse([]byte(
		"-- go.mod --\nmodule example.com/shared\n\ngo 1.21\n-- shared.go --\npackage shared\n\nfunc New() int { return 0 }\n-- more/more.go --\npackage more\n")))
}
