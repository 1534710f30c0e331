package unrolled

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// TestLaws: before training, if signals and λ are in another unit (a power of two), the codes are in this unit, and if
// atoms and λ are, the codes are in its inverse, both to the last bit. Multiplying one value of all signals and atoms
// by −1 changes no code. Multiplying an atom by −1 changes the sign of its codes. Both also hold in Fit, to the last
// bit. If each signal occurs twice and each update uses all signals, Fit finds the same network up to rounding.
func TestLaws(t *testing.T) {
	for seed := range uint64(trial.Count(30, 1000)) {
		rng := rand.New(rand.NewPCG(seed, 96))
		d, n, N, layers := 2+rng.IntN(4), 2+rng.IntN(6), 3+rng.IntN(10), rng.IntN(4)
		B, X, codes := random(3*seed+1, d, n), random(3*seed+2, d, N), random(3*seed+3, n, N)
		lambda := 0.02 + 0.1*rng.Float64()
		what := fmt.Sprintf("seed %d, %d×%d, %d signals, %d layers", seed, d, n, N, layers)
		times := func(A mat.Matrix, e int) *mat.Dense {
			var S mat.Dense
			S.Scale(math.Ldexp(1, e), A)
			return &S
		}
		Z := New(B, lambda, layers).Transform(X)
		for _, e := range []int{-30, 1, 30} {
			l := math.Ldexp(lambda, e)
			if got := New(B, l, layers).Transform(times(X, e)); !mat.Equal(got, times(Z, e)) {
				t.Errorf("%s: signals times 2^%d: other codes", what, e)
			}
			if got := New(times(B, e), l, layers).Transform(X); !mat.Equal(got, times(Z, -e)) {
				t.Errorf("%s: atoms times 2^%d: other codes", what, e)
			}
		}

		// fit returns the codes of X by a trained network.
		fit := func(B, X, codes mat.Matrix, batch int) *mat.Dense {
			m := New(B, lambda, layers)
			if _, err := Fit(t.Context(), m, X, codes, &Options{Steps: 15, Batch: batch, Seed: seed}); err != nil {
				t.Fatal(what, err)
			}
			return m.Transform(X)
		}
		trained := fit(B, X, codes, 2)
		value, atom := rng.IntN(d), rng.IntN(n)
		minus := func(A *mat.Dense, row int) *mat.Dense {
			M := mat.DenseCopyOf(A)
			for j, v := range M.RawRowView(row) {
				M.Set(row, j, -v)
			}
			return M
		}
		if got := fit(minus(B, value), minus(X, value), codes, 2); !mat.Equal(got, trained) {
			t.Errorf("%s: value %d times −1: other codes", what, value)
		}
		mirrored := mat.DenseCopyOf(B)
		for i := range d {
			mirrored.Set(i, atom, -B.At(i, atom))
		}
		if got := fit(mirrored, X, minus(codes, atom), 2); !mat.Equal(got, minus(trained, atom)) {
			t.Errorf("%s: atom %d times −1: other codes", what, atom)
		}
		XX, CC := mat.NewDense(d, 2*N, nil), mat.NewDense(n, 2*N, nil)
		XX.Augment(X, X)
		CC.Augment(codes, codes)
		all := mat.NewDense(n, 2*N, nil)
		one := fit(B, X, codes, 2*N)
		all.Augment(one, one)
		if got := fit(B, XX, CC, 2*N); !mat.EqualApprox(got, all, 1e-7) {
			t.Errorf("%s: signals twice: other codes", what)
		}
	}
}
