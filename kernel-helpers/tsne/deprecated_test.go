package tsne

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The old name of an option does what the new one does.
func TestDeprecated(t *testing.T) {
	X := mat.NewDense(6, 1, []float64{1, 2, 4, 8, 16, 32})
	was, err := NewAffinities(t.Context(), X, &Options{Perplexity: 2, Neighbours: 4})
	if err != nil {
		t.Fatal(err)
	}
	is, err := NewAffinities(t.Context(), X, &Options{Perplexity: 2, Neighbors: 4})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(was, is) {
		t.Errorf("Neighbours: %v, Neighbors: %v", was, is)
	}
}
