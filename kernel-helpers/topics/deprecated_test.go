package topics

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The old name does what the new one does.
func TestDeprecated(t *testing.T) {
	counts := mat.NewDense(3, 4, []float64{2, 1, 0, 0, 0, 0, 3, 1, 1, 1, 0, 0})
	m, err := Fit(t.Context(), counts, &Options{Topics: 2, Passes: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	was, err := m.Infer(t.Context(), counts, nil)
	if err != nil {
		t.Fatal(err)
	}
	is, err := m.Transform(t.Context(), counts, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(was, is) {
		t.Errorf("Infer: %v, Transform: %v", was, is)
	}
}
