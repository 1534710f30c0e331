package sparseapprox_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/kernel-helpers/sparseapprox"
)

// TestAgainstPursuit compares every method for L1 and L1NonNegative with package pursuit's Lasso, which shares no code
// with them. The objectives must be equal up to the proved gaps, and the w must be equal where they are unique.
func TestAgainstPursuit(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 8))
	random := func(r, c int) *mat.Dense {
		M := mat.NewDense(r, c, nil)
		for i := range r {
			for j := range c {
				M.Set(i, j, rng.NormFloat64())
			}
		}
		return M
	}
	for _, size := range [][2]int{{5, 3}, {6, 6}, {8, 20}, {2, 3}} {
		B, X := random(size[0], size[1]), random(size[0], 12)
		for _, lambda := range []float64{1e-3, 0.1, 1} {
			for _, prior := range []sparseapprox.Prior{sparseapprox.L1, sparseapprox.L1NonNegative} {
				want, err := pursuit.Lasso(t.Context(), B, X, lambda, &pursuit.LassoOptions{NonNegative: prior == sparseapprox.L1NonNegative, Tolerance: 1e-9, MaxIterations: 1e5})
				if err != nil {
					t.Fatal(err)
				}
				for _, method := range []sparseapprox.Method{sparseapprox.CoordinateDescent, sparseapprox.FeatureSign, sparseapprox.LARS, sparseapprox.FISTA} {
					got, err := sparseapprox.Solve(t.Context(), B, X, &sparseapprox.Options{Prior: prior, Lambda: lambda, Method: method, Tolerance: 1e-9, MaxIterations: 1e6})
					if err != nil {
						t.Fatalf("%v, %v, λ = %v: %v", size, method, lambda, err)
					}
					for k, o := range got.Objective {
						if d := math.Abs(o - want.Objective[k]); !(d <= 3e-9*o) {
							t.Errorf("%v, %v, %v, λ = %v, signal %d: objective %v, package pursuit has %v", size, prior, method, lambda, k, o, want.Objective[k])
						}
					}
					if size[0] >= size[1] { // B has independent columns
						var d mat.Dense
						d.Sub(got.W, want.S)
						if e := mat.Norm(&d, math.Inf(1)); !(e <= 1e-4) {
							t.Errorf("%v, %v, %v, λ = %v: coefficients differ by %g", size, prior, method, lambda, e)
						}
					}
				}
			}
		}
	}
}
