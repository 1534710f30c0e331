package l2svm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
)

// TestBound: Objective − Gap is not above the minimum, for features in any units and with a far point, whether or not
// the machine has converged. Objective is not above that of w = 0. The test finds the minimum by trying all sets of
// support vectors, with 400 binary digits. Nearly all machines that are not stopped converge.
func TestBound(t *testing.T) {
	missed, count := 0, trial.Count(150, 10000)
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 85))
		n, d := 3+rng.IntN(4), 1+rng.IntN(3)
		X, name := trial.Features(rng, n, d)
		y := make([]int, n)
		for i := range y {
			y[i] = rng.IntN(2)
		}
		y[0], y[1] = 0, 1
		o := &Options{C: math.Pow(10, 6*rng.Float64()-3), Method: Method(rng.IntN(3))}
		if rng.IntN(3) == 0 {
			o.MaxIterations = 1 + rng.IntN(20)
		}
		scale, err := NewScale(t.Context(), Dense(X), []float64{0.01, 0}[rng.IntN(2)])
		if err != nil {
			t.Fatal(err)
		}
		o.Scale = scale
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = 1
		}
		if rng.IntN(3) == 0 {
			for i := range weights {
				weights[i] = math.Pow(10, 4*rng.Float64()-2)
			}
			o.SampleWeights = weights
		}
		m, err := Fit(t.Context(), Dense(X), y, o)
		what := fmt.Sprintf("seed %d, %d×%d, %s, C %g, %v, %v", seed, n, d, name, o.C, o.Method, weights)
		if m == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if err != nil && o.MaxIterations == 0 {
			missed++
		}
		// The dual: ½α'(Q + D)α − e'α with Σ y_i α_i = 0, D_ii = n/2Cs_i.
		points := make([][]trial.Number, n)
		sign, top, e := make([]float64, n), make([]float64, n), make([]trial.Number, n)
		for i := range n {
			sign[i], top[i], e[i] = float64(1-2*y[i]), math.Inf(1), trial.Of(1)
			for j := range d {
				v := trial.Quo(trial.Sub(trial.Of(X.At(i, j)), trial.Of(scale.Mean[j])), trial.Of(scale.SD[j]))
				points[i] = append(points[i], trial.Mul(trial.Of(sign[i]), v))
			}
		}
		Q, zero := trial.Gram(points), 0.0
		for i := range n {
			Q[i][i] = trial.Add(Q[i][i], trial.Of(float64(n)/2/o.C/weights[i]))
			zero += o.C / float64(n) * weights[i]
		}
		f, _ := trial.Box(Q, e, top, sign)
		least := -trial.Float(f)
		for k := range 2 {
			if m.Objective[k]-m.Gap[k] > least*(1+1e-9)+1e-12*zero {
				t.Errorf("%s: %v: objective %v, gap %v, minimum %v", what, m.Status, m.Objective[k], m.Gap[k], least)
			}
			if m.Objective[k] < least*(1-1e-9)-1e-12*zero {
				t.Errorf("%s: %v: objective %v, minimum %v", what, m.Status, m.Objective[k], least)
			}
			if m.Objective[k] > zero*(1+1e-9) {
				t.Errorf("%s: %v: objective %v, that of w = 0 is %v", what, m.Status, m.Objective[k], zero)
			}
		}
	}
	if missed > 1+count/1000 {
		t.Errorf("%d of %d not converged", missed, count)
	}
}
