package wordcount

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The old names do what the new ones do.
func TestDeprecated(t *testing.T) {
	docs := [][]string{{"a", "b", "a"}, {"b", "c"}}
	was, err := Choose(docs, nil)
	if err != nil {
		t.Fatal(err)
	}
	is, err := Fit(t.Context(), docs, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(was.Words, is.Words) || !mat.Equal(was.Count(docs), is.Transform(docs)) {
		t.Errorf("Choose and Count: %v %v, Fit and Transform: %v %v", was.Words, was.Count(docs), is.Words, is.Transform(docs))
	}
	a, err := Normalise(is.Transform(docs))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Normalize(is.Transform(docs))
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(a, b) {
		t.Errorf("Normalise: %v, Normalize: %v", a, b)
	}
}
