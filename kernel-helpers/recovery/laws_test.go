package recovery

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// TestCoherenceLaws: for atoms of any length and sign, Coherence agrees with a computation in 400 binary digits.
func TestCoherenceLaws(t *testing.T) {
	for seed := range uint64(trial.Count(300, 10000)) {
		rng := rand.New(rand.NewPCG(seed, 93))
		d, n := 2+rng.IntN(6), 2+rng.IntN(5)
		B := mat.NewDense(d, n, nil)
		for i := range d {
			for j := range n {
				B.Set(i, j, rng.NormFloat64())
			}
		}
		name := ""
		for j := range n {
			s := math.Ldexp(1, rng.IntN(2000)-1000)
			if j > 0 && rng.IntN(5) == 0 { // nearly the same atom
				for i := range d {
					B.Set(i, j, B.At(i, 0)*(1+1e-9*rng.NormFloat64()))
				}
				s = 1
			} else if rng.IntN(2) == 0 {
				for i := range d {
					B.Set(i, j, -s*B.At(i, j))
				}
			}
			name += fmt.Sprintf(" %g", s)
		}
		columns, want := trial.Columns(B), 0.0
		for i := range columns {
			for j := range i {
				root := trial.Mul(trial.Dot(columns[i], columns[i]), trial.Dot(columns[j], columns[j]))
				root.Sqrt(root)
				want = math.Max(want, math.Abs(trial.Float(trial.Quo(trial.Dot(columns[i], columns[j]), root))))
			}
		}
		if got := Coherence(B); math.Abs(got-want) > 1e-14 {
			t.Errorf("seed %d, %d×%d, times%s: %v, want %v", seed, d, n, name, got, want)
		}
	}
}
