package dictionaryplot

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/internal/trial"
	"overcomplete/kernel-helpers/sparseapprox"
)

func gaussian(r, c int, seed uint64) *mat.Dense {
	return trial.Normal(rand.New(rand.NewPCG(seed, 7)), r, c, 1)
}

func learn(t *testing.T, X mat.Matrix, o dictionary.Options) *dictionary.Result {
	t.Helper()
	o.Coder, o.Atoms = dictionary.SparseCoder(&sparseapprox.Options{Lambda: 0.1}), 18
	r, err := dictionary.Fit(context.Background(), X, &o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFigures(t *testing.T) {
	X := gaussian(12, 200, 3)
	r := learn(t, X, dictionary.Options{Batch: 40, Passes: 3})
	plot := Objective(r.State)
	if svg := plot.SVG(); !strings.Contains(svg, "mean of a pass") || !strings.Contains(svg, "seconds") {
		t.Error("the plot lacks its legend or an axis")
	}
	if plot.X.Max < r.State.Steps[len(r.State.Steps)-1].Seconds {
		t.Error("the time axis ends too early")
	}
	if Objective(learn(t, X, dictionary.Options{Method: dictionary.LagrangeDual, Passes: 2}).State).SVG() == "" {
		t.Error("no plot of full passes")
	}
	// Basis draws the most used atoms first and maps atoms to pixels.
	Q := gaussian(20, 12, 5)
	most := 0
	for j, v := range r.Use {
		if v > r.Use[most] {
			most = j
		}
	}
	var pixels mat.Dense
	pixels.Mul(Q, r.B.Slice(0, 12, most, most+1))
	want := gallery.Figure(pixels.T(), 4, 5, &gallery.Options{Title: "Atoms", Columns: 1, Grays: gallery.PerTileSigned})
	got := Basis(r.B, 4, 5, &BasisOptions{Map: Q, Most: 1, Use: r.Use})
	if got.Note("").By("x").SVG() != want.Note("").By("x").SVG() {
		t.Error("the first picture is not the most used atom")
	}
	if a, b := Basis(r.B, 3, 4, &BasisOptions{Use: r.Use}), Basis(r.B, 3, 4, nil); a.SVG() == b.SVG() {
		t.Error("the order by use is the order of the columns")
	}
	if a, b := Atoms(r.B, 3, 4, AtomsOptions{Most: 2}), Basis(r.B, 3, 4, &BasisOptions{Most: 2}); a.By("").SVG() != b.By("").SVG() {
		t.Error("Atoms differs")
	}
}

func TestMistakesPanic(t *testing.T) {
	X := gaussian(4, 30, 1)
	for want, f := range map[string]func(){
		"is a Map missing":   func() { Basis(X, 3, 3, nil) },
		"Map is 4×3":         func() { Basis(X, 2, 2, &BasisOptions{Map: gaussian(4, 3, 1)}) },
		"Use has 3 elements": func() { Basis(X, 2, 2, &BasisOptions{Use: make([]float64, 3)}) },
		"B is empty":         func() { Basis(&mat.Dense{}, 2, 2, nil) },
	} {
		if m, _ := panics.Value(f).(string); !strings.HasPrefix(m, "dictionaryplot: Basis: ") || !strings.Contains(m, want) {
			t.Errorf("want a panic with %q, got %q", want, m)
		}
	}
}
