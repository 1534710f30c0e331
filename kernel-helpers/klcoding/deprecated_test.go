package klcoding

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The old names do what the new ones do.
func TestDeprecated(t *testing.T) {
	B, X := mat.NewDense(2, 3, []float64{1, 0, 1, 0, 1, 1}), mat.NewDense(2, 1, []float64{1, 2})
	o := Options{Lambda: 0.1, P: 0.01}
	was, err := NewCoder(B, o)
	if err != nil {
		t.Fatal(err)
	}
	is, err := New(B, &o)
	if err != nil {
		t.Fatal(err)
	}
	a, err := was.Code(t.Context(), X)
	if err != nil {
		t.Fatal(err)
	}
	b, err := is.Code(t.Context(), X)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(a.W, b.W) || !mat.Equal(was.Reconstruct(a.W), is.Inverse(a.W)) {
		t.Errorf("NewCoder and Reconstruct: %v %v, New and Inverse: %v %v", a.W, was.Reconstruct(a.W), b.W, is.Inverse(a.W))
	}
}
