package dictionary

import (
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gallery"
)

func TestFigures(t *testing.T) {
	X, _, _ := planted(12, 18, 200, 2, 0.02, 3)
	r := learn(t, X, Options{Coder: l1(0.1), Atoms: 18, Batch: 40, Passes: 3})
	plot := r.Plot()
	if svg := plot.SVG(); !strings.Contains(svg, "mean of a pass") || !strings.Contains(svg, "seconds") {
		t.Error("the plot lacks its legend or an axis")
	}
	if plot.X.Max < r.State.Steps[len(r.State.Steps)-1].Seconds {
		t.Error("the time axis ends too early")
	}
	if learn(t, X, Options{Coder: l1(0.1), Atoms: 18, Method: LagrangeDual, Passes: 2}).Plot().SVG() == "" {
		t.Error("no plot of full passes")
	}
	// Atoms: the most used first, mapped to pixels.
	Q := gaussian(20, 12, 5)
	most := 0
	for j, v := range r.Use {
		if v > r.Use[most] {
			most = j
		}
	}
	var pixels mat.Dense
	pixels.Mul(Q, r.B.Slice(0, 12, most, most+1))
	want := gallery.Draw(pixels.T(), 4, 5, gallery.Options{Title: "Atoms", Columns: 1, Greys: gallery.PerTileSigned})
	got := r.Atoms(4, 5, AtomsOptions{Map: Q, Most: 1})
	if got.Note("").By("x").SVG() != want.Note("").By("x").SVG() {
		t.Error("the first picture is not the most used atom")
	}
	if a, b := r.Atoms(3, 4, AtomsOptions{}), Atoms(r.B, 3, 4, AtomsOptions{}); a.SVG() == b.SVG() {
		t.Error("the order by use is the order of the columns")
	}
}

// Set DICTIONARY_PICTURES to a folder to look at the figures.
func TestPictures(t *testing.T) {
	dir := os.Getenv("DICTIONARY_PICTURES")
	if dir == "" {
		t.Skip("DICTIONARY_PICTURES is not set")
	}
	X, _, Q, source := digits(t, 5000, 10, 180)
	r := learn(t, X, Options{Coder: l1(0.3), Atoms: 256, Passes: 4, Batch: 128})
	if err := r.Plot().Save(dir + "/plot"); err != nil {
		t.Fatal(err)
	}
	if err := r.Atoms(28, 28, AtomsOptions{Map: Q, Title: "Atoms: " + source}).Save(dir + "/atoms"); err != nil {
		t.Fatal(err)
	}
}
