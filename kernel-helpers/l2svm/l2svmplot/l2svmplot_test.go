package l2svmplot_test

import (
	"strings"
	"testing"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/l2svm/l2svmplot"
)

func TestCurves(t *testing.T) {
	measured := &l2svm.Curve{Name: "measured", Points: []l2svm.CurvePoint{
		{PerClass: 40, Accuracy: []float64{0.6, 0.7}, Mean: 0.65, SD: 0.07}, {PerClass: 5, Accuracy: []float64{0.5, 0.5}, Mean: 0.5},
	}}
	published := l2svm.NewCurve("published", []int{5, 40}, []float64{0.5, 0.6}, []float64{0.01, 0.01})
	f := l2svmplot.Curves("title", measured, published)
	if len(f.PNG()) < 1000 || !strings.Contains(f.Caption, "those not measured here are as given") {
		t.Error(f.Caption)
	}
	if f := l2svmplot.Curves("title", measured); strings.Contains(f.Caption, "not measured") {
		t.Error(f.Caption)
	}
	if measured.Points[0].PerClass != 40 {
		t.Error("the points were sorted in place")
	}
	if s := panics.Value(func() { l2svmplot.Curves("title") }); s != "l2svmplot: Curves: no curves" {
		t.Errorf("no curves: %v", s)
	}
}

func TestCrossValidation(t *testing.T) {
	v := &l2svm.CV{C: []float64{1, 0.1}, Accuracy: []float64{0.7, 0.8}, FoldAccuracy: [][]float64{{0.6, 0.8}, {0.8, 0.8}}, Best: 1}
	f := l2svmplot.CrossValidation(v)
	if len(f.PNG()) < 1000 || f.Caption != "2 folds. The largest accuracy, 0.8000, is at C = 0.1." {
		t.Error(f.Caption)
	}
}
