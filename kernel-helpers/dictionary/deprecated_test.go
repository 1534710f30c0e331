package dictionary

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/sparseapprox"
)

// TestDeprecated checks that each deprecated name does what its replacement does.
func TestDeprecated(t *testing.T) {
	X := mat.NewDense(3, 6, []float64{1, 0, 2, 1, 0.5, 3, 0, 1, 1, 2, 2, 0.5, 1, 1, 0, 0, 3, 1})
	so, ko := sparseapprox.Options{Lambda: 0.1}, klcoding.Options{Lambda: 0.1, P: 0.1}
	for name, c := range map[string][2]Coder{"Sparse": {Sparse(so), SparseCoder(&so)}, "KL": {KL(ko), KLCoder(&ko)}} {
		if c[0].String() != c[1].String() {
			t.Errorf("%s is %v, by the new name %v", name, c[0], c[1])
		}
		was, err := Learn(t.Context(), X, &Options{Coder: c[0], Atoms: 4, Passes: 2})
		if err != nil {
			t.Fatal(err)
		}
		is, err := Fit(t.Context(), X, &Options{Coder: c[1], Atoms: 4, Passes: 2})
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(was.B, is.B) {
			t.Errorf("%s: %v, by the new names %v", name, was.B, is.B)
		}
	}
	if c := SparseCoder(nil).String(); c != Sparse(sparseapprox.Options{}).String() {
		t.Errorf("nil options are %s", c)
	}
	if c := KLCoder(nil).String(); c != KL(klcoding.Options{}).String() {
		t.Errorf("nil options are %s", c)
	}
}

// TestTransposed checks that signals in rows are rejected with a message that suggests the transpose.
func TestTransposed(t *testing.T) {
	defer func() {
		const want = "dictionary: Fit: Init is 3×4 and X is 6×3, a signal per COLUMN: want 3×6, is X transposed?"
		if p := recover(); p != want {
			t.Errorf("%v, want %s", p, want)
		}
	}()
	Fit(t.Context(), gaussian(6, 3, 1), &Options{Coder: SparseCoder(nil), Init: gaussian(3, 4, 2)})
}
