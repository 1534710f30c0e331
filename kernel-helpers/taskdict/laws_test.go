package taskdict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// TestLaws: another unit (a power of two) of signals, λ and p gives the same basis up to the rounding of the coding, if
// the head does not learn and its weights are in the inverse unit. Multiplying one value of all signals and atoms by −1
// changes the sign of this value in the basis and nothing else, also if the head learns. Scaling columns of the initial
// B has no effect.
func TestLaws(t *testing.T) {
	for seed := range uint64(trial.Count(6, 100)) {
		rng := rand.New(rand.NewPCG(seed, 97))
		D, n, N := 3+rng.IntN(2), 6, 12+rng.IntN(10)
		B, X, y := task(D, n, N, seed)
		parts := seed%2 == 1
		model := start(B, X, y, parts)
		target := make([]float64, N)
		for i, v := range y {
			target[i] = float64(v)
		}
		for _, linear := range []bool{false, true} {
			what := fmt.Sprintf("seed %d, D %d, %d signals, parts %v, linear %v", seed, D, N, parts, linear)
			// head returns the head for codes in units of 2^e.
			head := func(e int) Head {
				k, m := model.W.Dims()
				if linear {
					w := slices.Clone(model.W.RawRowView(k - 1))
					for i := range w {
						w[i] = math.Ldexp(w[i], -e)
					}
					return NewLinear(target, w, model.B[k-1], 0)
				}
				h := NewMaxent(y, model, 0)
				for i := range k * m {
					h.theta[i] = math.Ldexp(h.theta[i], -e)
				}
				return h
			}
			fit := func(B, X mat.Matrix, e int, headRate float64) *Result {
				c := coding
				c.Lambda, c.P = math.Ldexp(c.Lambda, e), math.Ldexp(c.P, e)
				r, err := Fit(t.Context(), B, X, head(e), &Options{Coding: c, Parts: parts, Epochs: 2, Batch: 5, HeadRate: headRate, Seed: seed})
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				return r
			}
			times := func(A mat.Matrix, e int) *mat.Dense {
				var S mat.Dense
				S.Scale(math.Ldexp(1, e), A)
				return &S
			}
			fixed, base := fit(B, X, 0, -1), fit(B, X, 0, 0)
			if mat.EqualApprox(fixed.B, B, 1e-4) {
				t.Fatalf("%s: the basis has not moved", what)
			}
			for _, e := range []int{-20, 1, 20} {
				if got := fit(B, times(X, e), e, -1); !mat.EqualApprox(got.B, fixed.B, 1e-7) {
					t.Errorf("%s: times 2^%d: another basis", what, e)
				}
			}
			if got := fit(times(B, 7), X, 0, 0); !mat.Equal(got.B, base.B) {
				t.Errorf("%s: longer columns: another basis", what)
			}
			value := rng.IntN(D)
			minus := func(A *mat.Dense) *mat.Dense {
				M := mat.DenseCopyOf(A)
				for j, v := range M.RawRowView(value) {
					M.Set(value, j, -v)
				}
				return M
			}
			got := fit(minus(B), minus(X), 0, 0)
			if !mat.EqualApprox(minus(got.B), base.B, 1e-7) || !mat.EqualApprox(mat.NewVecDense(len(got.Theta), got.Theta), mat.NewVecDense(len(base.Theta), base.Theta), 1e-7) {
				t.Errorf("%s: value %d times −1: another basis or head", what, value)
			}
		}
	}
}
