package bradley2008

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestRanks(t *testing.T) {
	if got := ranks([]float64{3, 1, 3, 0}); !slices.Equal(got, []float64{3.5, 2, 3.5, 1}) {
		t.Errorf("%v", got)
	}
	// Spearman's coefficient by the textbook formula, 1 − 6 Σ d²/(n(n² − 1)), without ties.
	a, b := []float64{0.08, 0, 0.06, 0.005, 0.192}, []float64{1.5, 4.4, 14.4, 18.1, 29.2}
	if got := stat.Correlation(ranks(a), ranks(b), nil); math.Abs(got-(1-6*14./(5*24))) > 1e-12 {
		t.Errorf("%v", got)
	}
}

// TestNearestAndAlike checks that the nearest training error of a path is found, and that the settings within one
// standard error of the best are found.
func TestNearestAndAlike(t *testing.T) {
	p := mat.NewDense(len(pathAlphas), 3, nil)
	for i := range pathAlphas {
		p.Set(i, 0, float64(10-i))
	}
	if i := pathAt(p, 7.4); i != 3 {
		t.Errorf("row %d", i)
	}
	if e := standardError(3.99, 10000); e != 0.20 { // 0.1957
		t.Errorf("standard error %v", e)
	}
	best := Settings{Atoms: 5, BasisLambda: 0.6, L1Lambda: 0.8, KLLambda: 0.2, P: 0.01}
	trials := []Trial{
		{Prior: "L1", Atoms: 5, BasisLambda: 0.3, Lambda: 0.4, Error: 4.19},
		{Prior: "L1", Atoms: 5, BasisLambda: 0.6, Lambda: 0.8, Error: 3.99},
		{Prior: "L1", Atoms: 5, BasisLambda: 0.6, Lambda: 1.2, Error: 4.2},
		{Prior: "KL", Atoms: 5, BasisLambda: 0.6, Lambda: 0.05, P: 0.001, Error: 3.01},
	}
	got := alikeOf(best, trials, "L1", 10000)
	want := []Settings{{5, 0.3, 0.4, 0.2, 0.01}, best}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := alikeOf(best, trials, "KL", 10000); len(got) != 1 || got[0].P != 0.001 || got[0].L1Lambda != 0.8 {
		t.Errorf("%+v", got)
	}
}

// Differences are paired if there are enough draws, so that variation common to both methods does not count.
func TestDifference(t *testing.T) {
	a, b := Accuracy{Each: []float64{10, 20, 30, 40, 50}}, Accuracy{Each: []float64{9, 18, 29, 38, 49}}
	points, e, _ := difference(a, b)
	if want := math.Sqrt(0.3) / math.Sqrt(5); math.Abs(points-1.4) > 1e-12 || math.Abs(e-want) > 1e-12 {
		t.Errorf("%v ± %v, want ± %v", points, e, want)
	}
	few := func(p float64) Accuracy { return Accuracy{Test: p, Each: []float64{p}} }
	if points, e, _ := difference(few(90), few(80)); points != 10 || math.Abs(e-0.5) > 1e-12 { // √(0.09 + 0.16)
		t.Errorf("%v ± %v", points, e)
	}
	// For errors lower is better.
	if points, e := (Errors{Test: 10, Each: []float64{10}}).below(Errors{Test: 20, Each: []float64{20}}, 10000); points != 10 || math.Abs(e-0.5) > 1e-12 {
		t.Errorf("%v ± %v", points, e)
	}
}

// Exponentiated gradient descent selects features: with ten times as many irrelevant features its loss hardly
// grows, while the loss of gradient descent grows.
func TestSelects(t *testing.T) {
	eg1, gd1 := selects(20, 4000, 1)
	eg2, gd2 := selects(200, 4000, 1)
	if eg2/eg1 > 3 || gd2/gd1 < 8 || eg2 > gd2/4 {
		t.Errorf("EGD %.4g and %.4g, gradient descent %.4g and %.4g", eg1, eg2, gd1, gd2)
	}
}
