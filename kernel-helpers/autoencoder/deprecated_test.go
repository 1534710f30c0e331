package autoencoder

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestDeprecated checks that each deprecated name does what its replacement does.
func TestDeprecated(t *testing.T) {
	X := normal(3, 10, 1)
	was, err := Train(t.Context(), X, Options{Features: 4, Steps: 5})
	if err != nil {
		t.Fatal(err)
	}
	is, err := Fit(t.Context(), X, &Options{Features: 4, Steps: 5})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(was, is) {
		t.Errorf("%v, and by the old name %v", is, was)
	}
	S := is.Model.Transform(X)
	if !mat.Equal(is.Model.Encode(X), S) || !mat.Equal(is.Model.Decode(S), is.Model.Inverse(S)) {
		t.Error("Encode or Decode differs")
	}
}

// TestTransposed checks that samples in rows are rejected with a message that suggests the transpose.
func TestTransposed(t *testing.T) {
	defer func() {
		const want = "autoencoder: Transform: X is 10×3, a sample per COLUMN, and samples of the model have 3 values: want 3×10, is X transposed?"
		if p := recover(); p != want {
			t.Errorf("%v, want %s", p, want)
		}
	}()
	New(3, 4, 1).Transform(normal(3, 10, 1).T())
}
