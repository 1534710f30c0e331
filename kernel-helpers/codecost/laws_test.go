package codecost

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// TestLaws: signals and sigma in another unit cost the same number of bits, whether the basis or the coefficients have
// this unit.
func TestLaws(t *testing.T) {
	reached := 0
	for seed := range uint64(trial.Count(100, 3000)) {
		rng := rand.New(rand.NewPCG(seed, 94))
		m, n, N := 2+rng.IntN(4), 1+rng.IntN(6), 3+rng.IntN(30)
		draw := func(r, c int) *mat.Dense {
			M := mat.NewDense(r, c, nil)
			M.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, M)
			return M
		}
		A, S := draw(m, n), draw(n, N)
		var X mat.Dense
		X.Mul(A, S)
		noise := draw(m, N)
		noise.Scale(1e-3, noise)
		X.Add(&X, noise)
		sigma := math.Pow(10, -3*rng.Float64())
		o := &Options{Estimator: Estimator(rng.IntN(3))}
		want, wrong := MeasureCost(&X, A, S, sigma, o)
		if wrong != nil && !errors.Is(wrong, ErrUnreachable) {
			t.Errorf("seed %d: %v", seed, wrong)
			continue
		}
		a, s := math.Ldexp(1, rng.IntN(400)-200), math.Ldexp(1, rng.IntN(400)-200)
		X.Scale(a*s, &X)
		A.Scale(a, A)
		S.Scale(s, S)
		got, err := MeasureCost(&X, A, S, a*s*sigma, o)
		if (err == nil) != (wrong == nil) {
			t.Errorf("seed %d, times %g and %g: %v, want %v", seed, a, s, err, wrong)
			continue
		}
		if err != nil {
			continue
		}
		reached++
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b)+1e-12 }
		if !near(got.Bits, want.Bits) || !near(got.SNR, want.SNR) || !near(got.Step/s, want.Step) || !near(got.RMS/a/s, want.RMS) {
			t.Errorf("seed %d, %v, times %g and %g: %+v, want %+v", seed, o.Estimator, a, s, got, want)
		}
	}
	if reached == 0 {
		t.Error("no sigma was reached")
	}
}
