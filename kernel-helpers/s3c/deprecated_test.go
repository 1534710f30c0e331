package s3c

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The old names do what the new ones do.
func TestDeprecated(t *testing.T) {
	ctx := t.Context()
	X := mat.NewDense(5, 2, []float64{1, 2, 3, 1, 5, 7, 2, 2, 1, -1})
	same := func(name string, was, is mat.Matrix) {
		t.Helper()
		if !mat.Equal(was, is) {
			t.Errorf("%s: %v, by the new name %v", name, was, is)
		}
	}
	src, err := Rows(X, 1)
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{Units: 3, Steps: 2, Batch: 2}
	was, err := Train(ctx, src, o)
	if err != nil {
		t.Fatal(err)
	}
	is, err := Fit(ctx, src, o)
	if err != nil {
		t.Fatal(err)
	}
	same("Train", was.Model.W, is.Model.W)
	m := is.Model
	a, err := m.Encode(ctx, X, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Transform(ctx, X, nil)
	if err != nil {
		t.Fatal(err)
	}
	same("Encode", a, b)
	same("Reconstruct", m.Reconstruct(m.Prior(2)), m.Inverse(m.Prior(2)))
	old, err := NewEncoder(m, EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	now, err := m.NewEncoder(nil)
	if err != nil {
		t.Fatal(err)
	}
	x, p, q := []float32{1, 2}, make([]float32, 3), make([]float32, 3)
	old.Encode(p, x, 1)
	now.Encode(q, x, 1)
	if !slices.Equal(p, q) {
		t.Errorf("NewEncoder: %v, by the new name %v", p, q)
	}
}
