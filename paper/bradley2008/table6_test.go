package bradley2008

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/paper/record"
)

func TestTable6(t *testing.T) {
	l := smokeLab(t)
	r := l.Table6()
	finish(t, l, "own-table6-gain")
	if len(r.Rated) != 5 || len(r.Search) != 2 || len(r.Topics) != 10 || len(r.Ridge) != 2 {
		t.Fatalf("%d folds, %d trials, topics %v, ridge %v", len(r.Rated), len(r.Search), r.Topics, r.Ridge)
	}
	chosen := 0
	for _, s := range r.Search {
		chosen += len(s.Chosen)
	}
	if chosen != 5 {
		t.Errorf("%d folds have a trial", chosen)
	}
	for _, id := range []string{"lda", "kl-64", "kl-256", "l1", "slda", "l2", "backprop"} {
		row, ok := l.Results().Row("table6-" + id)
		if !ok || row.Verdict != record.Unknown {
			t.Errorf("table6-%s: %v", id, row.Verdict)
		}
		// Generated ratings are a function of topics, so every method predicts them.
		if !(row.Measured.Number > 0.2) {
			t.Errorf("table6-%s: predictive R² %v", id, row.Measured)
		}
	}
}

// No test document of a fold is used for training or choosing.
func TestFoldsOfDocuments(t *testing.T) {
	d := smokeLab(t).Documents()
	for f, test := range d.Folds {
		seen := make([]int, d.N())
		train, validation := d.Training(f)
		for _, part := range [][]int{test, train, validation} {
			for _, i := range part {
				seen[i]++
			}
		}
		for i, k := range seen {
			if k != 1 {
				t.Fatalf("fold %d: document %d is in %d parts", f, i, k)
			}
		}
	}
}

// Learning lowers the objective and keeps the norms; back-propagation does not modify its start,
// and the ratings of test documents have no effect.
func TestWords(t *testing.T) {
	gemm.Use()
	d := smokeLab(t).Documents()
	s := WordSettings{Atoms: 6, Lambda: 1e-3, P: 1, BaseRates: true, Rate: 2, Passes: 4}
	for _, s.BaseRates = range []bool{true, false} {
		B, W, history := s.learn(t.Context(), d, 1, func(int, float64) {})
		if history[3] >= history[0] {
			t.Errorf("base rates %v: objectives %v", s.BaseRates, history)
		}
		for j := range s.Atoms {
			if n := mat.Norm(B.ColView(j), 2); math.Abs(n-1) > 1e-12 {
				t.Errorf("column %d has norm %v", j, n)
			}
		}
		b, w := mat.DenseCopyOf(B), mat.DenseCopyOf(W)
		run := func() *RatingResult {
			return s.specialise(t.Context(), d, 2, B, W, 1e-3, 2, 1, func(int, float64, float64) {})
		}
		first := run()
		if !mat.Equal(b, B) || !mat.Equal(w, W) {
			t.Error("specialise changed its start")
		}
		for _, i := range d.Folds[2] {
			d.Y[i] = math.NaN()
		}
		second := run()
		for i, p := range first.Predicted {
			if p != second.Predicted[i] {
				t.Fatalf("prediction %d depends on ratings of the test documents", i)
			}
		}
		d = smokeLab(t).Documents()
	}
}
