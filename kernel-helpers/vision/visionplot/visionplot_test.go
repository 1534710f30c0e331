package visionplot_test

import (
	"context"
	"strings"
	"testing"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/kernel-helpers/vision/visionplot"
)

func TestFigures(t *testing.T) {
	ctx := context.Background()
	im, _, err := vision.NewLeaves(ctx, &vision.LeavesOptions{N: 3})
	if err != nil {
		t.Fatal(err)
	}
	p := vision.NewPatches(im, 6, 400, 1)
	w, err := vision.FitWhitening(ctx, p, &vision.WhitenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := vision.FitOMP1(ctx, w.Patches(p), &vision.OMP1Options{Atoms: 30, Passes: 2})
	if err != nil {
		t.Fatal(err)
	}
	f := visionplot.Filters(d.D, 3, &visionplot.FilterOptions{Unwhiten: w, Most: 20})
	if len(f.PNG()) < 1000 || !strings.HasPrefix(f.Caption, "Filters, 20 of 30, whitening undone.") {
		t.Error(f.Caption)
	}
	if f.SVG() == visionplot.Filters(d.D, 3, &visionplot.FilterOptions{Most: 20}).Note(f.Caption).SVG() {
		t.Error("undoing the whitening changes nothing")
	}
	g, err := visionplot.Pooling(im, 0, w, vision.SoftThreshold(d, 0.25), []int{0, 1}, &vision.ExtractOptions{Grid: 3})
	if err != nil || len(g.PNG()) < 1000 || g.Caption != "Features of 6×6 patches at 27×27 positions, and pooled." {
		t.Error(err, g)
	}
	if _, err := visionplot.Pooling(im, 0, w, vision.SoftThreshold(d, 0.25), nil, &vision.ExtractOptions{Grid: 100}); err == nil {
		t.Error("100×100 cells for 27×27 positions")
	}
	if s, _ := panics.Value(func() { visionplot.Filters(d.D, 2, nil) }).(string); !strings.HasPrefix(s, "visionplot: Filters: ") {
		t.Errorf("columns of 108 values in 2 planes: %q", s)
	}
}
