package ica

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestDeprecated checks that each deprecated name does what its replacement does.
func TestDeprecated(t *testing.T) {
	ctx := t.Context()
	mix := NewMixture(EvenBasis(2, 30), GeneralisedGaussian{Shape: 0.8, Scale: 1}, 60, 0, 1)
	begin := PerturbBasis(mix.A, 10, 1)
	was, err := Learn(ctx, begin, mix.X, &LearnOptions{Steps: 3})
	if err != nil {
		t.Fatal(err)
	}
	is, err := Fit(ctx, begin, mix.X, &FitOptions{Steps: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(was.A, is.A) {
		t.Errorf("Learn: %v, Fit: %v", was.A, is.A)
	}
	steps := &FitOptions{Steps: 3}
	old, err := LearnRestarts(ctx, mix.X, 2, &RestartOptions{Starts: 2, ShortSteps: 2, Learn: steps})
	if err != nil {
		t.Fatal(err)
	}
	now, err := FitRestarts(ctx, mix.X, 2, &RestartOptions{Starts: 2, ShortSteps: 2, Fit: steps})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(old.A, now.A) || old.Steps != 3 {
		t.Errorf("LearnRestarts: %v after %d steps, FitRestarts: %v", old.A, old.Steps, now.A)
	}
	f, err := FastICA(ctx, mix.X, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := FitFastICA(ctx, mix.X, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f, g) {
		t.Errorf("FastICA: %v, FitFastICA: %v", f, g)
	}
	a, b := mat.DenseCopyOf(begin), mat.DenseCopyOf(begin)
	if !reflect.DeepEqual(Normalise(a), Normalize(b)) || !mat.Equal(a, b) {
		t.Error("Normalise differs")
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
	defer func() {
		if p := recover(); p != "ica: FastICAModel.Transform: X is 200×2, a sample per COLUMN, want 2 rows" {
			t.Error(p)
		}
	}()
	m.Transform(mix.X.T())
}

// TestTransposed checks that samples in rows are rejected with a message that suggests the transpose.
func TestTransposed(t *testing.T) {
	defer func() {
		const want = "ica: Infer: A has 2 rows and X is 9×2, a sample per COLUMN: want 2×9, is X transposed?"
		if p := recover(); p != want {
			t.Errorf("%v, want %s", p, want)
		}
	}()
	Infer(t.Context(), EvenBasis(3, 0), mat.NewDense(9, 2, nil), nil)
}
