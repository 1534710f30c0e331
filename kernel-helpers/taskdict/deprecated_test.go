package taskdict

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/klcoding"
)

// The old names do what the new ones do.
func TestDeprecated(t *testing.T) {
	ctx, B, X := t.Context(), mat.NewDense(2, 2, []float64{1, 0, 0, 1}), mat.NewDense(2, 3, []float64{1, 2, 0.5, 2, 1, 1})
	coding := klcoding.Options{Lambda: 0.1, P: 0.01}
	a, err := Codes(ctx, B, X, coding, false)
	if err != nil {
		t.Fatal(err)
	}
	b, err := CodeSignals(ctx, B, X, false, &coding)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(a, b) {
		t.Errorf("Codes: %v, CodeSignals: %v", a, b)
	}
	head := func() Head { return NewLinear([]float64{1, 2, 3}, []float64{1, 1}, 0, 0.1) }
	o := Options{Coding: coding, Epochs: 1}
	was, err := Train(ctx, B, X, head(), o)
	if err != nil {
		t.Fatal(err)
	}
	is, err := Fit(ctx, B, X, head(), &o)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(was.B, is.B) {
		t.Errorf("Train: %v, Fit: %v", was.B, is.B)
	}
}
