package transposed

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestColumns(t *testing.T) {
	for _, n := range []int{1, 15, 16, 17, 50} {
		for _, d := range []int{1, 16, 33} {
			big := mat.NewDense(n+2, d+3, nil)
			big.Apply(func(i, j int, _ float64) float64 { return float64(1000*i + j) }, big)
			view := big.Slice(1, n+1, 2, d+2)
			for from := 0; from < d; from += 7 {
				to := min(d, from+20)
				want := mat.DenseCopyOf(view.(*mat.Dense).Slice(0, n, from, to).T())
				for _, A := range []mat.Matrix{view, view.T().T(), mat.Transpose{Matrix: mat.DenseCopyOf(view.T())}} {
					if got := Columns(A, from, to); !mat.Equal(got, want) {
						t.Errorf("%d×%d, columns %d to %d of %T: %v, want %v", n, d, from, to, A, got, want)
					}
				}
			}
		}
	}
}
