package nmfgrad

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The old names do what the new ones do.
func TestDeprecated(t *testing.T) {
	U, W := mat.NewDense(3, 1, []float64{1, 2, 3}), mat.NewDense(2, 1, []float64{1, 2})
	var A mat.Dense
	A.Mul(U, W.T())
	same := func(name string, was, is mat.Matrix) {
		t.Helper()
		if !mat.Equal(was, is) {
			t.Errorf("%s: %v, by the new name %v", name, was, is)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	a, err := At(&A, U, W, Options{})
	must(err)
	b, err := PointAt(&A, U, W, nil)
	must(err)
	same("At", a.Ubar, b.Ubar)
	c, err := FixedW(&A, U, W, Options{})
	must(err)
	d, err := RowsAt(&A, U, W, nil)
	must(err)
	same("FixedW", c.Ubar, d.Ubar)
	e, err := Diagnose(t.Context(), &A, U, W, Options{})
	must(err)
	f, err := DiagnoseAt(t.Context(), &A, U, W, nil)
	must(err)
	if e.String() != f.String() {
		t.Errorf("Diagnose: %v, DiagnoseAt: %v", e, f)
	}
	u, w := Normalise(U, W, UnitW)
	uu, ww := Normalize(U, W, UnitW)
	same("Normalise", u, uu)
	same("Normalise", w, ww)
}
