package constant

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
)

// TestColumns tests one column of each kind: in a dense matrix, in a sparse matrix, and in a transpose.
func TestColumns(t *testing.T) {
	const n = 1000
	kinds := []struct {
		at   func(i int) float64
		want bool
	}{
		{func(int) float64 { return 0 }, true},
		{func(int) float64 { return 0.1 }, true},
		{func(int) float64 { return -1e8 - 0.1 }, true},
		{func(int) float64 { return 5e-324 }, true},
		{func(i int) float64 { return []float64{0.3, 0.1 + 0.2}[i%2] }, true}, // 0.1 + 0.2 is not 0.3 in float64
		{func(i int) float64 { return 1 + 1e-13*float64(i/(n-1)) }, false},    // one of the numbers differs
		{func(i int) float64 { return float64(i/(n-1)) * 5e-324 }, false},
		{func(i int) float64 { return float64(i/(n-1)) * 1e-300 }, false},
		{func(i int) float64 { return 0.1 * float64(min(i, 1)) }, false},
		{func(i int) float64 { return []float64{-1.7e308, 1.7e308}[i%2] }, false},
	}
	X := mat.NewDense(n, len(kinds), nil)
	want := make([]bool, len(kinds))
	for j, k := range kinds {
		want[j] = k.want
		for i := range n {
			X.Set(i, j, k.at(i))
		}
		if got := Values(mat.Col(nil, j, X)); got != k.want {
			t.Errorf("column %d: %v", j, got)
		}
	}
	for _, A := range []mat.Matrix{X, csr.Of(X), mat.DenseCopyOf(X.T()).T()} {
		if got := Columns(A); !slices.Equal(got, want) {
			t.Errorf("%T: %v, want %v", A, got, want)
		}
	}
	if Range(math.NaN(), 1) {
		t.Error("NaN is constant")
	}
}
