package attention

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// TestAttendLaws: weights and outputs agree with those computed from scores with 400 binary digits, for keys and
// queries in any units, provided that their products are not large. Adding a number to all keys changes no weight.
// Values in other units, or far from 0, give outputs in the same units. If all values are equal, the output is that
// value.
func TestAttendLaws(t *testing.T) {
	for seed := range uint64(trial.Count(300, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 89))
		n, m, dk := 1+rng.IntN(4), 1+rng.IntN(6), 1+rng.IntN(3)
		Q, K := mat.NewDense(n, dk, nil), mat.NewDense(m, dk, nil)
		shift := make([]float64, dk)
		for j := range dk {
			unit := math.Ldexp(1, rng.IntN(53)-26)
			if rng.IntN(2) == 0 {
				shift[j] = math.Ldexp(float64(rng.IntN(2001)-1000), 10-rng.IntN(20)) / unit
			}
			for i := range n {
				Q.Set(i, j, rng.NormFloat64()*unit)
			}
			for i := range m {
				K.Set(i, j, rng.NormFloat64()/unit+shift[j])
			}
		}
		V, _ := trial.Features(rng, m, 3)
		o, err := Attend(Q, K, V, nil)
		if err != nil {
			t.Fatal(err)
		}
		for l := range n {
			score, noise := make([]float64, m), 0.0
			for i := range m {
				s := trial.Of(0)
				for j := range dk {
					s = trial.Add(s, trial.Mul(trial.Of(Q.At(l, j)), trial.Sub(trial.Of(K.At(i, j)), trial.Of(shift[j]))))
					noise = math.Max(noise, float64(dk+1)*0x1p-52*math.Abs(Q.At(l, j))*(math.Abs(K.At(i, j))))
				}
				score[i] = trial.Float(s)
			}
			noise = float64(dk)*noise + 1e-14
			sum, top := 0.0, score[0]
			for _, s := range score {
				top = math.Max(top, s)
			}
			for i, s := range score {
				score[i] = math.Exp(s - top)
				sum += score[i]
			}
			for i, e := range score {
				if p := e / sum; math.Abs(o.Alpha.At(l, i)-p) > 4*noise*p+1e-15 {
					t.Errorf("seed %d: weight (%d, %d) is %v, want %v", seed, l, i, o.Alpha.At(l, i), p)
				}
			}
			for c := range 3 {
				want, size, low, high := 0.0, 0.0, math.Inf(1), math.Inf(-1)
				for i, e := range score {
					want += e / sum * V.At(i, c)
					size += e / sum * math.Abs(V.At(i, c))
					low, high = math.Min(low, V.At(i, c)), math.Max(high, V.At(i, c))
				}
				a := o.A.At(l, c)
				if math.Abs(a-want) > 8*noise*size || a < low-1e-14*math.Abs(low) || a > high+1e-14*math.Abs(high) {
					t.Errorf("seed %d: output (%d, %d) is %v, want %v", seed, l, c, a, want)
				}
			}
		}
	}
}
