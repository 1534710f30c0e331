package unrolled

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The old names do what the new ones do.
func TestDeprecated(t *testing.T) {
	B := mat.NewDense(2, 3, []float64{1, 0, 1, 0, 1, 1})
	X := mat.NewDense(2, 4, []float64{1, 2, 3, 1, 5, 7, 2, 2})
	a, b := New(B, 0.1, 2), New(B, 0.1, 2)
	W := mat.NewDense(3, 4, nil)
	if _, err := Train(t.Context(), a, X, W, &Options{Steps: 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := Fit(t.Context(), b, X, W, &Options{Steps: 2}); err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(a.Code(X), b.Transform(X)) {
		t.Errorf("Train and Code: %v, Fit and Transform: %v", a.Code(X), b.Transform(X))
	}
}
