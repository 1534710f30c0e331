package vision

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/sparseapprox"
)

// The old names do what the new ones do.
func TestDeprecated(t *testing.T) {
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	same := func(name string, was, is mat.Matrix) {
		t.Helper()
		if !mat.Equal(was, is) {
			t.Errorf("%s: %v, by the new name %v", name, was, is)
		}
	}
	im, _, err := Leaves(ctx, LeavesOptions{N: 4, Seed: 1})
	must(err)
	again, _, err := NewLeaves(ctx, &LeavesOptions{N: 4, Seed: 1})
	must(err)
	if im.String() != again.String() {
		t.Errorf("Leaves: %v, NewLeaves: %v", im, again)
	}
	X := NewPatches(im, 4, 60, 1)
	w, err := Whiten(ctx, X, WhitenOptions{})
	must(err)
	v, err := FitWhitening(ctx, X, nil)
	must(err)
	same("Whiten", w.ZCA, v.ZCA)
	P := w.Patches(X)
	a, err := KMeans(ctx, P, kmeans.Options{K: 2, Restarts: 1})
	must(err)
	b, err := FitKMeans(ctx, P, &kmeans.Options{K: 2, Restarts: 1})
	must(err)
	same("KMeans", a.D, b.D)
	a, err = SparseCoding(ctx, P, dictionary.Options{Atoms: 3, Passes: 1})
	must(err)
	b, err = FitSparseCoding(ctx, P, &dictionary.Options{Atoms: 3, Passes: 1})
	must(err)
	same("SparseCoding", a.D, b.D)
	a, err = OMP1(ctx, P, OMP1Options{Atoms: 3, Passes: 2})
	must(err)
	b, err = FitOMP1(ctx, P, &OMP1Options{Atoms: 3, Passes: 2})
	must(err)
	same("OMP1", a.D, b.D)
	e, err := SparseCode(a, sparseapprox.Options{})
	must(err)
	f, err := SparseEncoder(b, nil)
	must(err)
	F, err := Features(ctx, im, w, e, ExtractOptions{})
	must(err)
	G, err := ExtractFeatures(ctx, im, w, f, nil)
	must(err)
	same("Features", F, G)
	old, err := ExtractLayout(im, w, e, ExtractOptions{})
	must(err)
	now, err := ShardsLayout(im, w, f, nil)
	must(err)
	if old != now {
		t.Errorf("ExtractLayout: %v, ShardsLayout: %v", old, now)
	}
	_, p, err := PooledMaps(im, 0, w, e, []int{1}, ExtractOptions{})
	must(err)
	_, q, err := PoolMaps(im, 0, w, f, []int{1}, nil)
	must(err)
	same("PooledMaps", p[0], q[0])
	for name, o := range map[string]ExtractOptions{"no folder": {}, "a folder": {Folder: t.TempDir()}} {
		r, err := Extract(ctx, im, w, e, o)
		s, other := ExtractShards(ctx, im, w, f, &o)
		if (err == nil) != (other == nil) || (r == nil) != (s == nil) {
			t.Errorf("%s: Extract: %v %v, ExtractShards: %v %v", name, r, err, s, other)
		}
	}
	one := mat.NewDense(1, 4, []float64{0, 1, 0.5, 0})
	g, err := Grey(one, 2, 2)
	must(err)
	h, err := Gray(one, 2, 2)
	must(err)
	if g.String() != h.String() {
		t.Errorf("Grey: %v, Gray: %v", g, h)
	}
}
