package sparseapprox

import (
	"math"
	"testing"
)

// The results are the same with and without the search in float32, also from a warm start, and if λ is too
// small for float32.
func TestSearch(t *testing.T) {
	for _, prior := range []Prior{L1, L1NonNegative} {
		for seed, size := range [][3]int{{30, 80, 40}, {12, 9, 30}, {25, 200, 20}} {
			B, X := problem(size[0], size[1], size[2], uint64(40+seed))
			for _, lambda := range []float64{0.3, 0.05, 1e-3, 1e-7} {
				opt := Options{Prior: prior, Lambda: lambda, Method: CoordinateDescent, Tolerance: 1e-10}
				if lambda < 1e-5 {
					opt.Tolerance = 1e-3
				}
				fast, err := NewCoder(B, &opt)
				if err != nil {
					t.Fatal(err)
				}
				slow, err := fast.With(&opt)
				if err != nil {
					t.Fatal(err)
				}
				slow.single = nil
				want, err := slow.Code(t.Context(), X)
				if err != nil {
					t.Fatal(err)
				}
				got, err := fast.Code(t.Context(), X)
				if err != nil {
					t.Fatal(err)
				}
				again, err := fast.CodeFrom(t.Context(), X, want.W)
				if err != nil {
					t.Fatal(err)
				}
				for k, f := range want.Objective {
					if e := max(math.Abs(got.Objective[k]-f), math.Abs(again.Objective[k]-f)); !(e <= 2*opt.Tolerance*f) {
						t.Errorf("%v %v λ=%g, signal %d: objective %v, warm %v, without search %v", prior, size, lambda, k, got.Objective[k], again.Objective[k], f)
					}
					if again.Iterations[k] > 0 && opt.Tolerance < 1e-9 && want.Gap[k] < 0.1*opt.Tolerance*f {
						t.Errorf("%v %v λ=%g, signal %d: %d sweeps from the solution", prior, size, lambda, k, again.Iterations[k])
					}
				}
			}
		}
	}
}

// If products of atoms are out of float32's range, float64 is used.
func TestScaleOfAtoms(t *testing.T) {
	for _, scale := range []float64{1e-12, 1e-3, 1e3, 1e12} {
		B, X := problem(20, 50, 10, 44)
		want := solve(t, B, X, Options{Lambda: 0.1, Tolerance: 1e-9})
		B.Scale(scale, B)
		got := solve(t, B, X, Options{Lambda: 0.1 * scale, Tolerance: 1e-9})
		got.W.Scale(scale, got.W)
		if d := largestDifference(got.W, want.W); !(d <= 1e-6) {
			t.Errorf("atoms of norm %g: w differs by %g", scale, d)
		}
	}
}
