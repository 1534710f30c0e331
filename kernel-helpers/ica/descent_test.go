package ica

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

// TestDescent separates small samples of noise, and of sources with both signs of kurtosis, on which the fixed-point
// iteration circles. Each fit must converge with the defaults, to a fixed point of FastICA's own iteration.
func TestDescent(t *testing.T) {
	const k, p = 10, 400
	circled := 0
	for seed := range uint64(12) {
		rng := newRand(seed, 77)
		X := mat.NewDense(k, p, nil)
		X.Apply(func(i, _ int, _ float64) float64 {
			u := rng.NormFloat64()
			switch (uint64(i) + seed) % 3 {
			case 0: // a little heavier tails than the normal distribution
				return u + 0.05*u*u*u
			case 1: // a little lighter
				return math.Tanh(u / 2)
			}
			return u
		}, X)
		for _, g := range []Contrast{Tanh, Cube} {
			m, err := FitFastICA(context.Background(), X, &FastICAOptions{Seed: seed, Contrast: g})
			if err != nil || m.Status != ended.Converged {
				t.Errorf("seed %d, contrast %d: %v", seed, g, err)
				continue
			}
			if m.Iterations > settle {
				circled++
			}
			white, err := whiten(context.Background(), X, k)
			if err != nil {
				t.Fatal(err)
			}
			var w mat.Dense
			w.Mul(m.W, white.back) // k×m · m×k; all units are 1 here
			var again FastICAModel
			if _, err := again.symmetric(context.Background(), white.z, &w, &FastICAOptions{Contrast: g, MaxIterations: 1}); err != nil {
				t.Fatal(err)
			}
			if again.History[0] > 1e-7 {
				t.Errorf("seed %d, contrast %d: one more iteration of FastICA turns a row by 1 − cos = %.2g", seed, g, again.History[0])
			}
		}
	}
	if circled == 0 {
		t.Error("no fit needed the descent")
	}
	t.Logf("%d of 24 fits needed the descent", circled)
}

// TestDescentDerivatives compares the derivatives of L with differences.
func TestDescentDerivatives(t *testing.T) {
	const k, p, step = 4, 60, 1e-6
	rng := newRand(3, 78)
	z := mat.NewDense(k, p, nil)
	z.Apply(func(int, int, float64) float64 { return rng.NormFloat64() * math.Abs(rng.NormFloat64()) }, z)
	w := normalMatrix(k, 5)
	if err := decorrelate(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	for _, g := range []Contrast{Tanh, Cube} {
		at, err := placeAt(context.Background(), z, w, nil, g)
		if err != nil {
			t.Fatal(err)
		}
		for q, d := range at.d {
			e := make([]float64, len(at.d))
			e[q] = 1
			var loss [2]float64
			for s, alpha := range []float64{step, -step} {
				v, err := moved(context.Background(), w, alpha, e)
				if err != nil {
					t.Fatal(err)
				}
				there, err := placeAt(context.Background(), z, v, at.sigma, g)
				if err != nil {
					t.Fatal(err)
				}
				loss[s] = there.loss
			}
			if got := (loss[0] - loss[1]) / (2 * step); math.Abs(got-d) > 1e-6*(1+math.Abs(d)) {
				t.Errorf("contrast %d, pair %d: %v, differences give %v", g, q, d, got)
			}
		}
	}
}
