package tsneplot

import (
	"bytes"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/tsne"
)

func TestFigures(t *testing.T) {
	const n, classes = 200, 12
	rng := rand.New(rand.NewPCG(1, 5))
	X, labels := mat.NewDense(n, 5, nil), make([]int, n)
	for i := range n {
		labels[i] = i % classes
		for j := range 5 {
			X.Set(i, j, 2*float64((i%classes)>>min(j, 3)&1)+0.2*rng.NormFloat64())
		}
	}
	labels[0] = -1
	r, err := tsne.Fit(t.Context(), X, &tsne.Options{Perplexity: 8, Steps: 100})
	if err != nil {
		t.Fatal(err)
	}
	a := Map(r, "twelve clusters", labels, nil).PNG()
	if !bytes.Equal(a, Map(r, "twelve clusters", labels, nil).PNG()) {
		t.Error("two drawings differ")
	}
	names := make([]string, classes)
	for _, b := range [][]byte{
		Map(r, "twelve clusters", nil, nil).PNG(),
		Map(r, "twelve clusters", labels, names).PNG(),
		History(r, "divergence").PNG(),
	} {
		if _, err := png.Decode(bytes.NewReader(b)); err != nil || bytes.Equal(a, b) {
			t.Errorf("the figure shows nothing of its own: %v", err)
		}
	}
	for want, f := range map[string]func(){
		"3 labels": func() { Map(r, "", make([]int, 3), nil) },
		"label 0":  func() { Map(r, "", make([]int, n), []string{}) },
	} {
		if s, _ := panics.Value(f).(string); !strings.HasPrefix(s, "tsneplot: Map: ") || !strings.Contains(s, want) {
			t.Errorf("panic %q, want %q", s, want)
		}
	}
}

// TestMapDimensions: a map in three dimensions is drawn by its first two coordinates, and a map in one
// dimension is drawn on a line.
func TestMapDimensions(t *testing.T) {
	Y := mat.NewDense(4, 3, []float64{0, 1, 9, 2, 3, 9, 5, 4, 9, 7, 7, 9})
	plane := mat.DenseCopyOf(Y.Slice(0, 4, 0, 2))
	line := mat.DenseCopyOf(Y.Slice(0, 4, 0, 1))
	flat := mat.NewDense(4, 2, nil)
	flat.SetCol(0, mat.Col(nil, 0, Y))
	draw := func(Y *mat.Dense) []byte { return Map(&tsne.Result{Y: Y}, "", nil, nil).PNG() }
	if !bytes.Equal(draw(Y), draw(plane)) || !bytes.Equal(draw(line), draw(flat)) || bytes.Equal(draw(line), draw(plane)) {
		t.Error("a map in one or three dimensions is not drawn by its first two coordinates")
	}
}
