package pca

import (
	"math"
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
	// The loss ½ tr(S − 2SABᵀ + BAᵀSABᵀ) for A = B = a and S = I is ½(2 − 2‖a‖² + ‖a‖⁴).
	I := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	a := mat.NewDense(2, 1, []float64{0.6, 0.3})
	loss, dA, dB := AutoencoderLoss(I, a, a)
	r := 0.36 + 0.09
	if want := (2 - 2*r + r*r) / 2; math.Abs(loss-want) > 1e-15 {
		t.Errorf("AutoencoderLoss is %v, want %v", loss, want)
	}
	var g mat.Dense
	g.Scale(r-1, a)
	if !mat.EqualApprox(dA, &g, 1e-15) || !mat.EqualApprox(dB, &g, 1e-15) {
		t.Errorf("gradients %v and %v, want %v", dA, dB, &g)
	}
}
