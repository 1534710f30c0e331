package nmf

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

// The old names do what the new ones do, and Inverse undoes Transform.
func TestDeprecated(t *testing.T) {
	A := mat.NewDense(3, 2, []float64{1, 2, 3, 1, 5, 7})
	var r *Result
	r, err := Fit(t.Context(), A, &Options{Components: 2})
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	u, w := r.Normalised()
	U, W := r.Normalized()
	if !mat.Equal(u, U) || !mat.Equal(w, W) {
		t.Errorf("Normalised: %v %v, Normalized: %v %v", u, w, U, W)
	}
	Z, err := r.Transform(t.Context(), A)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(r.Inverse(Z), A, 1e-2) || !mat.Equal(r.Inverse(r.U), r.Reconstruct()) {
		t.Errorf("the inverse is %v for %v", r.Inverse(Z), A)
	}
}
