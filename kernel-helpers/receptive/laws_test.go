package receptive

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// TestLaws: scaling an atom by a number, however large or small, does not change its measures.
func TestLaws(t *testing.T) {
	for seed := range uint64(trial.Count(300, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 92))
		h, w := 2+rng.IntN(9), 2+rng.IntN(9)
		atom, other := mat.NewVecDense(h*w, nil), mat.NewVecDense(h*w, nil)
		s := math.Ldexp(1, rng.IntN(1800)-900)
		if rng.IntN(2) == 0 {
			s = -s
		}
		for i := range h * w {
			v := rng.NormFloat64()
			atom.SetVec(i, v)
			other.SetVec(i, s*v)
		}
		want := Measure(atom, h, w)
		if got := Measure(other, h, w); got != want {
			t.Errorf("seed %d, %d×%d, times %g: %+v, want %+v", seed, h, w, s, got, want)
		}
	}
}
