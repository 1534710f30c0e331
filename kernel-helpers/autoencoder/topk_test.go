package autoencoder

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

func TestKeepLargest(t *testing.T) {
	S := mat.NewDense(4, 2, []float64{
		3, 1,
		0, 1,
		5, 1,
		4, 0,
	})
	keepLargest(t.Context(), S, 2)
	if want := mat.NewDense(4, 2, []float64{0, 1, 0, 1, 5, 0, 4, 0}); !mat.Equal(S, want) {
		t.Errorf("kept\n%v", mat.Formatted(S))
	}
}

// TestTopKGradient compares the gradient through the kept features with finite differences.
func TestTopKGradient(t *testing.T) {
	X := trial.Normal(rand.New(rand.NewPCG(3, 4)), 4, 9, 1)
	a := New(4, 7, 1)
	a.TopK = 2
	l, g := a.Gradient(X, 0.1)
	if l.Active > 2 {
		t.Errorf("%v features of a sample", l.Active)
	}
	for k, p := range a.params() {
		for i := range p {
			const h = 1e-6
			old := p[i]
			p[i] = old + h
			up := a.Evaluate(X, 0.1).Total
			p[i] = old - h
			down := a.Evaluate(X, 0.1).Total
			p[i] = old
			if want := (up - down) / (2 * h); math.Abs(g.params()[k][i]-want) > 1e-6 {
				t.Errorf("parameter %d of %d: %v, finite differences %v", i, k, g.params()[k][i], want)
			}
		}
	}
}

// TestTopKTrain checks that training keeps at most TopK features, and that TopK = Features gives the same
// result as no TopK.
func TestTopKTrain(t *testing.T) {
	X := trial.Normal(rand.New(rand.NewPCG(3, 4)), 4, 60, 1)
	r, err := Fit(t.Context(), X, &Options{Features: 8, TopK: 3, Steps: 50})
	if err != nil || r.Model.TopK != 3 || r.Loss.Active > 3 || r.Model.Clone().TopK != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	all, err := Fit(t.Context(), X, &Options{Features: 8, TopK: 8, Steps: 50})
	if err != nil {
		t.Fatal(err)
	}
	free, err := Fit(t.Context(), X, &Options{Features: 8, Steps: 50})
	if err != nil {
		t.Fatal(err)
	}
	if all.Loss != free.Loss {
		t.Errorf("%+v and %+v", all.Loss, free.Loss)
	}
	if _, err := Fit(t.Context(), X, &Options{Features: 8, TopK: -1}); err == nil {
		t.Error("a negative TopK was taken")
	}
}
