package finite

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestDense(t *testing.T) {
	X := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	if D, err := Dense("X", X); D != X || err != nil {
		t.Errorf("%v, %v", D, err)
	}
	if D, err := Dense("X", X.T()); err != nil || !mat.Equal(D, X.T()) {
		t.Errorf("%v, %v", D, err)
	}
	var none *mat.Dense
	for _, c := range []struct {
		X    mat.Matrix
		want string
	}{
		{nil, "X is nil"},
		{none, "X is nil"},
		{&mat.Dense{}, "X is empty (0×0)"},
	} {
		if _, err := Dense("X", c.X); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for v, name := range map[float64]string{math.NaN(): "NaN", math.Inf(1): "+Inf", math.Inf(-1): "-Inf"} {
		X.Set(2, 1, v)
		_, whole := Dense("X", X)
		_, view := Dense("X", X.Slice(1, 3, 1, 2))
		_, turned := Dense("X", X.T())
		for at, err := range map[string]error{"X(2, 1) is ": whole, "X(1, 0) is ": view, "X(1, 2) is ": turned} {
			if err == nil || err.Error() != at+name {
				t.Errorf("%v, want %s%s", err, at, name)
			}
		}
		if err := Check("X", X.T()); err == nil || err.Error() != turned.Error() {
			t.Errorf("%v, want %v", err, turned)
		}
	}
}
