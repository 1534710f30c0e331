package tsne

import (
	"bytes"
	"image/png"
	"math/rand/v2"
	"testing"
)

func TestFigure(t *testing.T) {
	X, labels := blobs(rand.New(rand.NewPCG(1, 5)), 200, 5, 12, 2)
	labels[0] = -1
	r := mustFit(t, X, &Options{Perplexity: 8, Steps: 100})
	a := r.Figure("twelve clusters", labels, nil).PNG()
	if !bytes.Equal(a, r.Figure("twelve clusters", labels, nil).PNG()) {
		t.Error("two drawings differ")
	}
	names := make([]string, 12)
	for _, b := range [][]byte{
		r.Figure("twelve clusters", nil, nil).PNG(),
		r.Figure("twelve clusters", labels, names).PNG(),
		r.HistoryFigure("divergence").PNG(),
	} {
		if _, err := png.Decode(bytes.NewReader(b)); err != nil || bytes.Equal(a, b) {
			t.Errorf("the figure shows nothing of its own: %v", err)
		}
	}
}
