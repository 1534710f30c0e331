package given

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestArgs(t *testing.T) {
	var none *mat.Dense
	var f func()
	for _, c := range []struct {
		args []any
		want any
	}{
		{[]any{"X", mat.NewDense(1, 1, nil), "f", func() {}, "n", 0, "list", []int(nil)}, nil},
		{[]any{"X", mat.NewDense(1, 1, nil), "W", nil}, "p: F: W is nil"},
		{[]any{"X", none}, "p: F: X is nil"},
		{[]any{"X", mat.Matrix(none)}, "p: F: X is nil"},
		{[]any{"f", f}, "p: F: f is nil"},
		{[]any{"m", map[int]int(nil)}, "p: F: m is nil"},
	} {
		func() {
			defer func() {
				if p := recover(); p != c.want {
					t.Errorf("%v: %v, want %v", c.args, p, c.want)
				}
			}()
			Args("p: F", c.args...)
		}()
	}
}
