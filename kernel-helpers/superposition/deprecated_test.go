package superposition

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The old names do what the new ones do.
func TestDeprecated(t *testing.T) {
	d, o := Sparse(3, 20, 0.5, 1), Options{Hidden: 2, Starts: 1, Steps: 5}
	was, err := Train(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	is, err := Fit(t.Context(), d, &o)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(was.Model.W, is.Model.W) {
		t.Errorf("Train: %v, Fit: %v", was.Model.W, is.Model.W)
	}
	if a, b := is.Model.Decode(d.X), is.Model.Inverse(is.Model.Transform(d.X)); !mat.Equal(a, b) || !mat.Equal(a, is.Model.Reconstruct(d.X)) {
		t.Errorf("Decode: %v, Inverse: %v", a, b)
	}
}
