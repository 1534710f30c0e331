// Package kmeansplot draws what package kmeans finds.
//
//	r, err := kmeans.Fit(ctx, X, &kmeans.Options{K: 10, Seed: 1})
//	kmeansplot.Inertia(r)            // the inertia at each step
//	kmeansplot.Centers(r, 28, 28, 5) // the centers as pictures
package kmeansplot

import (
	"fmt"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/kmeans"
)

// Inertia draws the inertia against the steps of the best run.
func Inertia(r *kmeans.Model) *figure.Figure {
	given.Args("kmeansplot: Inertia", "r", r)
	x, y := make([]float64, len(r.History)), make([]float64, len(r.History))
	for t, s := range r.History {
		x[t], y[t] = float64(t), s.Inertia
	}
	x, y = append(x, float64(len(x))), append(y, r.Inertia)
	k, _ := r.Centers.Dims()
	f := figure.New("k-means", "step", "inertia")
	if len(x) <= 60 {
		f.Marked("", x, y)
	} else {
		f.Lines("", x, y)
	}
	lo, hi := r.Runs[0], r.Runs[0]
	for _, v := range r.Runs {
		lo, hi = min(lo, v), max(hi, v)
	}
	return f.Note(fmt.Sprintf("%d centres, run %d of %d (%v); the runs ended between %.5g and %.5g.", k, r.Best+1, len(r.Runs), r.Status, lo, hi))
}

// Centers draws the centers as pictures of h rows and w columns, in a grid with the
// given number of columns.
func Centers(r *kmeans.Model, h, w, columns int) *figure.Figure {
	given.Args("kmeansplot: Centers", "r", r)
	return gallery.Tiles("Centres", r.Centers, h, w, columns)
}
