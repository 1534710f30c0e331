// Package tsneplot draws the maps of package tsne.
//
//	r, err := tsne.Fit(ctx, X, nil)
//	tsneplot.Map(r, "digits", labels, nil) // colored, with the classes' names at their medians
//	tsneplot.History(r, "digits")          // the divergence at each step
package tsneplot

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/tsne"
)

// Map returns a scatter plot of the map, colored by labels (n). The name of each class, names[label], is at the median
// of the points of the class. If names is nil, the label itself is the name. Points with a negative label are gray and
// have no name. If labels is nil, all points look the same. The axes have no ticks because the coordinates mean
// nothing.
//
// For a map in more than two dimensions, the plot shows the first two coordinates. A map in one dimension is
// drawn on a line.
func Map(r *tsne.Result, title string, labels []int, names []string) *figure.Figure {
	given.Args("tsneplot: Map", "r", r)
	if n, _ := r.Y.Dims(); labels != nil && len(labels) != n {
		panic(fmt.Sprintf("tsneplot: Map: %d labels for %d points", len(labels), n))
	}
	for i, l := range labels {
		if names != nil && l >= len(names) {
			panic(fmt.Sprintf("tsneplot: Map: label %d of point %d has no name: there are %d names", l, i, len(names)))
		}
	}
	n, D := r.Y.Dims()
	y := make([]float64, n)
	if D > 1 {
		mat.Col(y, 1, r.Y)
	}
	return figure.Classes(title, mat.Col(nil, 0, r.Y), y, labels, names)
}

// History returns a figure of the divergence against the step. The exaggerated steps minimize another
// function, so the divergence rises or stays high there.
func History(r *tsne.Result, title string) *figure.Figure {
	given.Args("tsneplot: History", "r", r)
	var x, y []float64
	for _, c := range r.History {
		x, y = append(x, float64(c.Step)), append(y, c.KL)
	}
	x, y = append(x, float64(r.Steps)), append(y, r.KL)
	f := figure.New(title, "step", "KL(P‖Q)").Marked("", x, y).WholeX()
	f.Y.Min = 0
	return f
}
