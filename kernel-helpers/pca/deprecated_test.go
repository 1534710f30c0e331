package pca

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The old names, and the lecture's words, do what the new ones do.
func TestDeprecated(t *testing.T) {
	ctx := t.Context()
	X := mat.NewDense(4, 2, []float64{1, 2, 3, 1, 5, 7, 2, 2})
	same := func(name string, was, is mat.Matrix) {
		t.Helper()
		if !mat.Equal(was, is) {
			t.Errorf("%s: %v, by the new name %v", name, was, is)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	old, err := TrainAutoencoder(ctx, X, 1, nil)
	must(err)
	now, err := FitAutoencoder(ctx, X, 1, nil)
	must(err)
	same("TrainAutoencoder", old.A, now.A)
	Z := now.Transform(X)
	same("Encode", old.Encode(X), Z)
	same("Decode", old.Decode(Z), now.Inverse(Z))
	m, err := Fit(ctx, X, &Options{NoCenter: true})
	must(err)
	other, err := Fit(ctx, X, &Options{NoCentre: true})
	must(err)
	same("NoCentre", other.Components, m.Components)
	same("Scores", m.Scores(X), m.Transform(X))
	same("Reconstruct", m.Reconstruct(m.Transform(X)), m.Inverse(m.Transform(X)))
	w, err := m.Whiten(0)
	must(err)
	same("Apply", w.Apply(X), w.Transform(X))
	p, err := FitProbabilistic(ctx, X, 1)
	must(err)
	same("Posterior", p.Posterior(X), p.Transform(X))
	same("Project", p.Project(X), p.Inverse(p.Transform(X)))
	c, err := EckartYoung(X, 1, 2, 1)
	must(err)
	if len(c.Optimised) != 2 || c.Optimised[0] != c.Optimized[0] {
		t.Errorf("Optimised is %v, Optimized %v", c.Optimised, c.Optimized)
	}
}
