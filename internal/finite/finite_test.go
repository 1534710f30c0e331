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

func TestIs(t *testing.T) {
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64} {
		if !Is(v) {
			t.Errorf("Is(%v) is false", v)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if Is(v) || Is(float32(v)) {
			t.Errorf("Is(%v) is true", v)
		}
	}
	large := math.MaxFloat64
	if !Is(large) || Is(float32(large)) {
		t.Error("float32 is not asked as float32")
	}
}

func TestIndexFind(t *testing.T) {
	if i := Index([]float32{}); i != -1 {
		t.Errorf("nothing: %d", i)
	}
	x := []float32{1, -2, 0, math.MaxFloat32, -math.MaxFloat32}
	if i := Index(x); i != -1 {
		t.Errorf("%v: %d", x, i)
	}
	for k := range x {
		y := append([]float32(nil), x...)
		y[k], y[len(y)-1] = float32(math.Inf(-1)), float32(math.NaN())
		if i := Index(y); i != k {
			t.Errorf("%v: %d, want %d", y, i, k)
		}
	}
	X := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, math.NaN()})
	X.Set(1, 0, math.Inf(1))
	for _, c := range []struct {
		X    mat.Matrix
		i, j int
	}{{X, 1, 0}, {X.T(), 0, 1}, {X.Slice(0, 2, 1, 3), 1, 1}, {X.Slice(0, 1, 0, 3), -1, -1}, {X.Slice(0, 1, 0, 3).T(), -1, -1}} {
		if i, j := Find(c.X); i != c.i || j != c.j {
			t.Errorf("%v: %d, %d, want %d, %d", mat.Formatted(c.X), i, j, c.i, c.j)
		}
	}
}

// The product of two finite numbers is finite, even if a processor does not round it before subtracting. The
// numbers come from a slice, so that the compiler cannot compute the product.
func TestIsProduct(t *testing.T) {
	for _, x := range []float64{1.1, 3.3, 1e-3, 7e5} {
		if !Is(x * x) {
			t.Errorf("%v² is not finite", x)
		}
		if y := float32(x); !Is(y * y) {
			t.Errorf("%v² is not finite in float32", y)
		}
	}
}
