package ica

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/ui/progress"
)

// laplaceMixture returns 5 mixtures of 3 Laplacian sources with a little noise.
func laplaceMixture(p int) *Mixture {
	a := mat.NewDense(5, 3, nil)
	rng := rand.New(rand.NewPCG(8, 6))
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	return NewMixture(a, Laplacian{}, p, 0.05, 4)
}

// With deflation, FastICA finds the true sources one after the other, uncorrelated and with variance 1.
func TestDeflation(t *testing.T) {
	mix := laplaceMixture(20000)
	for _, c := range []Contrast{Tanh, Cube} {
		r, err := FitFastICA(t.Context(), mix.X, &FastICAOptions{Components: 3, Algorithm: Deflation, Contrast: c})
		if err != nil {
			t.Fatal(err)
		}
		if m := Match(mix.A, r.A); m.Worst > 3 {
			t.Errorf("contrast %d: %g degrees from the truth", c, m.Worst)
		}
		if r.Iterations != len(r.History) || r.Status != ended.Converged {
			t.Errorf("contrast %d: %d iterations, a history of %d, %v", c, r.Iterations, len(r.History), r.Status)
		}
		var C mat.Dense
		C.Mul(r.S, r.S.T())
		for i := range 3 {
			for j := range 3 {
				want := 0.0
				if i == j {
					want = 1
				}
				if got := C.At(i, j) / 20000; math.Abs(got-want) > 1e-10 {
					t.Errorf("contrast %d: E[s%d s%d] is %v", c, i, j, got)
				}
			}
		}
	}
}

// The rows are fixed points: one more iteration changes at most the sign of a row.
func TestDeflationFixedPoint(t *testing.T) {
	mix := laplaceMixture(2000)
	white, err := whiten(t.Context(), mat.DenseCopyOf(mix.X), 3)
	if err != nil {
		t.Fatal(err)
	}
	w := normalMatrix(3, 1)
	if err := decorrelate(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	var res FastICAModel
	if converged, err := res.deflation(t.Context(), white.z, w, &FastICAOptions{Tolerance: 1e-14, MaxIterations: 1000}); err != nil || !converged {
		t.Fatal(converged, err)
	}
	for j := range 3 {
		next, slope := make([]float64, 3), 0.0
		for s := range 2000 {
			u := 0.0
			for i := range 3 {
				u += w.At(j, i) * white.z.At(i, s)
			}
			g := math.Tanh(u)
			slope += (1 - g*g) / 2000
			for i := range 3 {
				next[i] += g * white.z.At(i, s) / 2000
			}
		}
		// Without the part along rows 0 to j − 1, next is a multiple of row j.
		v := mat.NewVecDense(3, next)
		v.AddScaledVec(v, -slope, w.RowView(j))
		for i := range j {
			v.AddScaledVec(v, -mat.Dot(v, w.RowView(i)), w.RowView(i))
		}
		if cos := math.Abs(mat.Dot(v, w.RowView(j))) / mat.Norm(v, 2); 1-cos > 1e-12 {
			t.Errorf("row %d: 1 − cosine is %g", j, 1-cos)
		}
	}
}

// From the same start, scikit-learn finds the same sources in the same order, in the same number of iterations.
func TestDeflationAgainstSklearn(t *testing.T) {
	py := peer.Start(t, 1, `
import numpy as np
from sklearn.decomposition import FastICA
def whitened(X, k):
    X = X - X.mean(axis=1, keepdims=True)
    u, d, _ = np.linalg.svd(X, full_matrices=False)
    u = u * np.sign(u[0])
    return (u / d).T[:k] @ X * np.sqrt(X.shape[1])
`, "numpy", "sklearn")
	mix := laplaceMixture(5000)
	white, err := whiten(t.Context(), mat.DenseCopyOf(mix.X), 3)
	if err != nil {
		t.Fatal(err)
	}
	py.Array("X", mix.X)
	py.Array("z", white.z)
	for _, c := range []struct {
		contrast Contrast
		name     string
	}{{Tanh, "logcosh"}, {Cube, "cube"}} {
		for seed := range uint64(3) {
			w := normalMatrix(3, seed)
			if err := decorrelate(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			py.Array("w", w)
			// z = R (their z) with an orthogonal R.
			py.Do(`
R = z @ whitened(X, 3).T / X.shape[1]
f = FastICA(3, algorithm="deflation", fun="` + c.name + `", tol=1e-9, max_iter=1000, w_init=w @ R, whiten="unit-variance", whiten_solver="svd").fit(X.T)`)
			r, err := FitFastICA(t.Context(), mix.X, &FastICAOptions{Components: 3, Algorithm: Deflation, Contrast: c.contrast, Tolerance: 1e-9, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			theirs := mat.NewDense(5, 3, py.Floats("f.mixing_.ravel()"))
			for j := range 3 {
				a, b := r.A.ColView(j), theirs.ColView(j)
				if cos := math.Abs(mat.Dot(a, b)) / mat.Norm(a, 2) / mat.Norm(b, 2); 1-cos > 1e-8 {
					t.Errorf("%s, seed %d: source %d: 1 − cosine is %g", c.name, seed, j, 1-cos)
				}
			}
			// scikit-learn returns the largest number of iterations of a source; our history holds the changes of all sources.
			most, own := 0, 0
			for _, change := range r.History {
				own++
				if change <= 1e-9 {
					most, own = max(most, own), 0
				}
			}
			if their := int(py.Float("float(f.n_iter_)")); most != their {
				t.Errorf("%s, seed %d: %d iterations, scikit-learn %d", c.name, seed, most, their)
			}
		}
	}
}

func TestDeflationEnds(t *testing.T) {
	mix := laplaceMixture(500)
	o := FastICAOptions{Components: 3, Algorithm: Deflation, MaxIterations: 2, Tolerance: 1e-15}
	r, err := FitFastICA(t.Context(), mix.X, &o)
	if !errors.Is(err, ended.ErrNotConverged) || r.Status != ended.IterationLimit || r.Iterations != 6 || r.A == nil {
		t.Errorf("%+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := FitFastICA(ctx, mix.X, &o); !errors.Is(err, context.Canceled) || r.Status != ended.Interrupted || r.A == nil {
		t.Errorf("%+v, %v", r, err)
	}
	// After an interruption, the sources that were not yet found are still orthogonal to the others.
	for steps := range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		o := FastICAOptions{Components: 3, Algorithm: Deflation, Recorder: progress.Func(func(e progress.Event) {
			if e.Step > steps {
				cancel()
			}
		})}
		r, err := FitFastICA(ctx, mix.X, &o)
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		var I mat.Dense
		I.Mul(r.W, r.A)
		for i := range 3 {
			I.Set(i, i, I.At(i, i)-1)
		}
		if e := mat.Norm(&I, math.Inf(1)); e > 1e-9 {
			t.Errorf("after %d steps, W A differs from the identity by %g", r.Iterations, e)
		}
	}
	if _, err := FitFastICA(t.Context(), mix.X, &FastICAOptions{Algorithm: 7}); err == nil {
		t.Error("Algorithm 7 is accepted")
	}
}

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

// TestFastICAModel checks that Transform returns the model's sources for the training data, and that Inverse
// returns the mixtures.
func TestFastICAModel(t *testing.T) {
	mix := NewMixture(EvenBasis(2, 30), Laplacian{}, 200, 0, 1)
	m, err := FitFastICA(t.Context(), mix.X, nil)
	if err != nil {
		t.Fatal(err)
	}
	S := m.Transform(mix.X)
	if !mat.EqualApprox(S, m.S, 1e-12) || !mat.EqualApprox(m.Inverse(S), mix.X, 1e-12) {
		t.Error("the sources differ, or the mixtures")
	}
	if one := m.Transform(mix.X.Slice(0, 2, 7, 8)); !mat.EqualApprox(one, m.S.Slice(0, 2, 7, 8), 1e-12) {
		t.Errorf("one sample: %v", one)
	}
	if p := panics.Value(func() { m.Transform(mix.X.T()) }); p != "ica: FastICAModel.Transform: X is 200×2, a sample per COLUMN, want 2 rows" {
		t.Error(p)
	}
}
