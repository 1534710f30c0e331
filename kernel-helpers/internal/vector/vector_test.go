package vector

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// Both inner products compute the right sum, and DotInOrder adds from the left.
func TestDot(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 40 {
		x, y := make([]float64, n), make([]float64, n)
		var exact float64
		for i := range x {
			x[i], y[i] = float64(rng.IntN(2000)-1000), float64(rng.IntN(2000)-1000)
			exact += x[i] * y[i] // these are integers, so there is no rounding
		}
		if a, b := Dot(x, y), DotInOrder(x, y); a != exact || b != exact {
			t.Errorf("n = %d: %v and %v, want %v", n, a, b, exact)
		}
	}
	// (1 + 2⁵³) − 2⁵³ is 0 from the left; in any other order it is 1.
	if got := DotInOrder([]float64{1, 1, -1}, []float64{1, 0x1p53, 0x1p53, 7}); got != 0 {
		t.Errorf("from the left: %v, want 0", got)
	}
	if got := DotInOrder([]float64{1, -1, 1}, []float64{0x1p53, 0x1p53, 1}); got != 1 {
		t.Errorf("from the left: %v, want 1", got)
	}
}

func TestAxpy(t *testing.T) {
	x, y := []float64{1, 2, 3}, []float64{10, 20, 30}
	Axpy(2, x, y)
	for i, want := range []float64{12, 24, 36} {
		if y[i] != want || x[i] != float64(i+1) {
			t.Errorf("%v and %v", x, y)
		}
	}
	if v := Of(x); &v.Data[0] != &x[0] || blas64.Asum(v) != 6 {
		t.Errorf("Of: %v", v)
	}
}
