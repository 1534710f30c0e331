package superposition

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// TestLaws: if features and biases are in another unit (a power of two), the loss is in the square of this unit. If
// importances are in another unit, the loss is in this unit. Both hold to the last bit, and the gradients scale in the
// same way. Rotating the hidden layer does not change the loss. Replacing a sample by two with half its weight changes
// nothing, also in Fit.
func TestLaws(t *testing.T) {
	for seed := range uint64(trial.Count(30, 1000)) {
		rng := rand.New(rand.NewPCG(seed, 95))
		n := 2 + rng.IntN(4)
		m, S := 1+rng.IntN(n-1), 3+rng.IntN(30)
		d := Sparse(n, S, 0.2+0.8*rng.Float64(), seed)
		a := &Model{W: mat.NewDense(m, n, nil), Bias: make([]float64, n), Linear: seed%4 == 0}
		a.W.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a.W)
		importance := make([]float64, n)
		for i := range n {
			a.Bias[i], importance[i] = 0.1*rng.NormFloat64(), rng.Float64()
		}
		what := fmt.Sprintf("seed %d, %d features, %d hidden, %d samples", seed, n, m, S)
		times := func(x []float64, e int) []float64 {
			y := make([]float64, len(x))
			for i, v := range x {
				y[i] = math.Ldexp(v, e)
			}
			return y
		}
		L, g := a.Gradient(d, importance)
		check := func(how string, got float64, h *Model, loss, weights, biases int) {
			t.Helper()
			if got != math.Ldexp(L, loss) || !mat.Equal(h.W, mat.NewDense(m, n, times(g.W.RawMatrix().Data, weights))) ||
				!mat.Equal(mat.NewVecDense(n, h.Bias), mat.NewVecDense(n, times(g.Bias, biases))) {
				t.Errorf("%s, %s: loss %v, want %v, or another gradient", what, how, got, math.Ldexp(L, loss))
			}
		}
		for _, e := range []int{-30, 1, 30} {
			unit := &Model{W: a.W, Bias: times(a.Bias, e), Linear: a.Linear}
			l, h := unit.Gradient(&Data{mat.NewDense(n, S, times(d.X.RawMatrix().Data, e)), d.Weight}, importance)
			check(fmt.Sprintf("features times 2^%d", e), l, h, 2*e, 2*e, e)
			l, h = a.Gradient(d, times(importance, e))
			check(fmt.Sprintf("importances times 2^%d", e), l, h, e, e, e)
		}

		var qr mat.QR
		var Q, turned mat.Dense
		square := mat.NewDense(m, m, nil)
		square.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, square)
		qr.Factorize(square)
		qr.QTo(&Q)
		turned.Mul(&Q, a.W)
		if l := (&Model{W: &turned, Bias: a.Bias, Linear: a.Linear}).Loss(d, importance); math.Abs(l-L) > 1e-12*L {
			t.Errorf("%s: turned hidden layer: loss %v, want %v", what, l, L)
		}

		halves := &Data{X: mat.NewDense(n, 2*S, nil)}
		halves.X.Augment(d.X, d.X)
		for range 2 {
			for _, w := range d.Weight {
				halves.Weight = append(halves.Weight, w/2)
			}
		}
		opt := &Options{Hidden: m, Importance: importance, Linear: a.Linear, Starts: 1, Steps: 15, Seed: seed}
		one, err1 := Fit(t.Context(), d, opt)
		two, err2 := Fit(t.Context(), halves, opt)
		if err1 != nil || err2 != nil {
			t.Fatal(what, err1, err2)
		}
		if !mat.EqualApprox(one.Model.W, two.Model.W, 1e-7) {
			t.Errorf("%s: divided samples: W is %v, want %v", what, two.Model.W, one.Model.W)
		}
	}
}
