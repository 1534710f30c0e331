package given

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
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
		if p := panics.Value(func() { Args("p: F", c.args...) }); p != c.want {
			t.Errorf("%v: %v, want %v", c.args, p, c.want)
		}
	}
}

// sparse is a matrix that can convert itself to a dense matrix.
type sparse struct{ *mat.DiagDense }

func (s sparse) Dense() *mat.Dense { return mat.DenseCopyOf(s.DiagDense) }

func TestDense(t *testing.T) {
	X := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	if Dense("p: F", "X", X) != X {
		t.Error("a dense matrix was copied")
	}
	if D := Dense("p: F", "X", X.T()); !mat.Equal(D, X.T()) {
		t.Errorf("%v, want the transpose", D)
	}
	if D := Dense("p: F", "X", sparse{mat.NewDiagDense(2, []float64{1, 2})}); !mat.Equal(D, mat.NewDense(2, 2, []float64{1, 0, 0, 2})) {
		t.Errorf("%v, want diag(1, 2)", D)
	}
	if D := Dense("p: F", "X", (&mat.Dense{}).T()); !D.IsEmpty() {
		t.Errorf("%v, want an empty matrix", D)
	}
	for _, none := range []mat.Matrix{nil, (*mat.Dense)(nil)} {
		if p := panics.Value(func() { Dense("p: F", "X", none) }); p != "p: F: X is nil" {
			t.Errorf("%v", p)
		}
	}
}
