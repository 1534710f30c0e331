package vision

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// TestWhiteningLaws checks what leaves the whitened patches the same to the last bit: another unit of the pixels (a
// power of two, and its square as the unit of Offset), a number added to all pixels of a patch, and, if Offset is
// negative, another contrast of a patch. If the pixels are permuted, the whitened patches are permuted in the same way,
// up to rounding.
func TestWhiteningLaws(t *testing.T) {
	for seed := range uint64(trial.Count(30, 500)) {
		rng := rand.New(rand.NewPCG(seed, 98))
		n, d := 20+rng.IntN(60), 4*(1+rng.IntN(3))
		X := mat.NewDense(n, d, nil)
		X.Apply(func(_, j int, _ float64) float64 { return float64(rng.IntN(256) / (1 + j%3)) }, X)
		constant := seed%3 == 0
		for i := range n {
			if constant {
				X.Set(i, 0, 17) // a pixel that never changes
			}
			X.Set(i, 1, X.At(i, 2)) // two pixels that are always equal
		}
		what := fmt.Sprintf("seed %d, %d patches of %d pixels", seed, n, d)
		whitened := func(X *mat.Dense, opt WhitenOptions) *mat.Dense {
			w, err := FitWhitening(t.Context(), matrixRows{X}, &opt)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			Z, err := Matrix(w.Patches(matrixRows{X}), 0, n)
			if err != nil {
				t.Fatal(err)
			}
			return Z
		}
		check := func(how string, got, want *mat.Dense, tolerance float64) {
			t.Helper()
			if !mat.EqualApprox(got, want, tolerance) {
				var E mat.Dense
				E.Sub(got, want)
				t.Errorf("%s, %s: whitened patches differ by %g", what, how, mat.Max(&E))
			}
		}
		base, plain := whitened(X, WhitenOptions{}), whitened(X, WhitenOptions{Offset: -1})
		var Y mat.Dense
		for _, e := range []int{-20, 1, 20} {
			Y.Scale(math.Ldexp(1, e), X)
			check(fmt.Sprintf("times 2^%d", e), whitened(&Y, WhitenOptions{Offset: math.Ldexp(10, 2*e)}), base, 0)
		}
		shift, contrast := make([]float64, n), make([]float64, n)
		for i := range n {
			shift[i], contrast[i] = float64(rng.IntN(2000)-1000), math.Ldexp(1, rng.IntN(41)-20)
		}
		// Sums over d = 4, 8 or 12 pixels: means have the same rounding for 4 and 8.
		tolerance := 0.0
		if d == 12 {
			tolerance = 1e-4
		}
		Y.Apply(func(i, _ int, v float64) float64 { return v + shift[i] }, X)
		check("plus a number for each patch", whitened(&Y, WhitenOptions{}), base, tolerance)
		Y.Apply(func(i, _ int, v float64) float64 { return v * contrast[i] }, X)
		check("times a number for each patch", whitened(&Y, WhitenOptions{Offset: -1}), plain, 0)
		order := rng.Perm(d)
		Y.Apply(func(i, j int, _ float64) float64 { return X.At(i, order[j]) }, X)
		var Z mat.Dense
		Z.CloneFrom(base)
		Z.Apply(func(i, j int, _ float64) float64 { return base.At(i, order[j]) }, base)
		check("another order of pixels", whitened(&Y, WhitenOptions{}), &Z, 1e-4)
	}
}
