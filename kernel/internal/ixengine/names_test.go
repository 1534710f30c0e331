package ixengine

import (
	"context"
	"fmt"
	"testing"

	"overcomplete/kernel/engine"
)

// TestAddedTypesLater: types that source patches add to compiled packages keep their names in later cells
// that do not import the package.
func TestAddedTypesLater(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "import (\"fmt\"; \"iter\"; \"slices\")\ntype C int\nvar seq iter.Seq[C] = slices.Values([]C{1, 2})\n_ = fmt.Sprint")
	for _, c := range []struct{ src, want string }{
		{"n := C(0)\nfor v := range seq { n += v }\nn", "3"},
		{"fmt.Sprintf(\"%T\", seq)", "iter.Seq[main.C]"},
	} {
		v, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: c.src})
		if err != nil || len(v) != 1 || fmt.Sprint(v[0].Value) != c.want {
			t.Errorf("%s: %v %v, want %s", c.src, v, err, c.want)
		}
	}
	if v := run(t, s, "seq"); v[0].Type != "iter.Seq[C]" {
		t.Errorf("the type of seq is %s", v[0].Type)
	}
}
