package figure

import (
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// TestLogLabel checks that a long label of a logarithmic axis takes no space from the data.
func TestLogLabel(t *testing.T) {
	height := func(label string) (w, h vg.Length) {
		f := New("", label, label).Marked("", []float64{1, 10, 1e4}, []float64{1e-9, 1e-3, 1}).LogX().LogY()
		c := f.DataCanvas(draw.NewCanvas(new(recorder.Canvas), 300, 200))
		return c.Max.X - c.Min.X, c.Max.Y - c.Min.Y
	}
	w, h := height("y")
	if lw, lh := height("a label almost as long as the axis"); lw != w || lh != h {
		t.Errorf("a long label: %v × %v points for the data, a short one: %v × %v", lw, lh, w, h)
	}
}
