// Package l2svmplot draws the choice of C and the learning curves of package l2svm.
//
//	v, err := l2svm.CrossValidate(ctx, X, y, []float64{0.01, 0.1, 1}, nil)
//	l2svmplot.CrossValidation(v)
package l2svmplot

import (
	"cmp"
	"fmt"
	"slices"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/l2svm"
)

// Curves draws the given curves in one figure. Bars show one standard deviation above and below each mean.
func Curves(title string, curves ...*l2svm.Curve) *figure.Figure {
	if len(curves) == 0 {
		panic("l2svmplot: Curves: no curves")
	}
	f := figure.New(title, "labelled examples per class", "test accuracy")
	for _, c := range curves {
		given.Args("l2svmplot: Curves", "a curve", c)
		points := slices.Clone(c.Points)
		slices.SortStableFunc(points, func(a, b l2svm.CurvePoint) int { return cmp.Compare(a.PerClass, b.PerClass) })
		var x, y, e []float64
		for _, p := range points {
			x, y, e = append(x, float64(p.PerClass)), append(y, p.Mean), append(e, p.SD)
		}
		f.ErrorBars(c.Name, x, y, e)
	}
	note := "Bars are one standard deviation over draws of the labelled examples."
	for _, c := range curves {
		if len(c.Points) > 0 && c.Points[0].Accuracy == nil {
			note = "Bars are one standard deviation over draws of the labelled examples; those not measured here are as given."
		}
	}
	return f.LogX().Note(note)
}

// CrossValidation draws the accuracy against C: points for each fold, a line for the overall accuracy.
func CrossValidation(v *l2svm.CV) *figure.Figure {
	given.Args("l2svmplot: CrossValidation", "v", v)
	f := figure.New("Cross-validation of C", "C", "accuracy")
	var x, y []float64
	for q, c := range v.C {
		for _, a := range v.FoldAccuracy[q] {
			x, y = append(x, c), append(y, a)
		}
	}
	f.Use(figure.Gray).Scatter("fold", x, y)
	cs, as := sorted(v.C, v.Accuracy)
	f.Use(figure.Blue).Marked("all points", cs, as)
	return f.LogX().Note(fmt.Sprintf("%d folds. The largest accuracy, %.4f, is at C = %.3g.", len(v.FoldAccuracy[0]), v.Accuracy[v.Best], v.C[v.Best]))
}

// sorted returns the points in order of x.
func sorted(x, y []float64) (sx, sy []float64) {
	order := make([]int, len(x))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	for _, k := range order {
		sx, sy = append(sx, x[k]), append(sy, y[k])
	}
	return sx, sy
}
