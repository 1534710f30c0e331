package classify

import (
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestSplitAndFolds(t *testing.T) {
	y := make([]int, 103)
	for i := range y {
		y[i] = i * i % 7 % 3
	}
	total, _ := counts("", y, 3)
	for seed := range uint64(20) {
		a, b := StratifiedSplit(y, 0.3, seed)
		all := slices.Sorted(slices.Values(append(slices.Clone(a), b...)))
		if len(all) != 103 || all[0] != 0 || all[102] != 102 || len(slices.Compact(all)) != 103 {
			t.Fatal("not a partition")
		}
		in, _ := counts("", Labels(y, b), 3)
		for c := range 3 {
			// The product 0.3*15 is rounded to 4.5, as in the code. Without the conversion, some processors
			// subtract from the unrounded product, and the difference exceeds 0.5.
			if d := float64(in[c]) - float64(0.3*float64(total[c])); d < -0.5 || d > 0.5 {
				t.Errorf("%d of %d points of class %d", in[c], total[c], c)
			}
		}
		folds := StratifiedFolds(y, 5, seed)
		all = nil
		for f, fold := range folds {
			all = append(all, fold...)
			if len(fold) < 20 || len(fold) > 21 {
				t.Errorf("fold %d has %d points", f, len(fold))
			}
			in, _ := counts("", Labels(y, fold), 3)
			for c := range 3 {
				if in[c] < total[c]/5 || in[c] > total[c]/5+1 {
					t.Errorf("fold %d has %d of %d of class %d", f, in[c], total[c], c)
				}
			}
			both := append(Others(folds, f), fold...)
			slices.Sort(both)
			if len(slices.Compact(both)) != 103 {
				t.Error("Others is not the rest")
			}
		}
		slices.Sort(all)
		if len(slices.Compact(all)) != 103 {
			t.Error("folds are not a partition")
		}
		c, _ := StratifiedSplit(y, 0.3, seed)
		if !slices.Equal(a, c) {
			t.Error("the same seed gave another split")
		}
	}
}

func TestStandardize(t *testing.T) {
	X := mat.NewDense(4, 3, []float64{1, 7, 0.1, 3, 7, 0.1, 5, 7, 0.1, 7, 7, 0.1})
	s, err := Standardize(X)
	if err != nil {
		t.Fatal(err)
	}
	Z := s.Transform(X)
	for i, want := range []float64{-3, -1, 1, 3} {
		near(t, "standardised", Z.At(i, 0), want/2.2360679774997896, 1e-14)
		near(t, "a constant", Z.At(i, 1), 0, 0)
		near(t, "a constant", Z.At(i, 2), 0, 1e-15)
		for j := range 3 {
			near(t, "inverse", s.Inverse(Z).At(i, j), X.At(i, j), 1e-14)
		}
	}
}

func TestMeasures(t *testing.T) {
	truth, guess := []int{0, 0, 1, 1, 2, 2}, []int{0, 1, 1, 1, 1, 2}
	near(t, "accuracy", Accuracy(guess, truth), 4.0/6, 1e-15)
	near(t, "error", ErrorRate(guess, truth), 2.0/6, 1e-15)
	c := Confuse(guess, truth)
	if fmt.Sprint(c.Counts) != "[[1 1 0] [0 2 0] [0 1 1]]" {
		t.Error(c)
	}
	if got := c.MostConfused(3); !slices.Equal(got, []int{1, 0, 2}) {
		t.Error(got)
	}
}
