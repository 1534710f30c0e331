package classify

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
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
			// The product 0.3*15 is rounded to 4.5, as in the code. Without the conversion, some processors use the
			// unrounded product in the subtraction, and the difference exceeds 0.5.
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

// TestSplitSmallClasses: the parts have their sizes also if the share of each class rounds to nothing, or to all.
func TestSplitSmallClasses(t *testing.T) {
	y := []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}
	for share, want := range map[float64]int{0.1: 1, 0.2: 2, 0.8: 8, 0.9: 9, 1: 10} {
		first, second := StratifiedSplit(y, share, 1)
		if len(second) != want || len(first) != 10-want {
			t.Errorf("share %v: %d and %d of 10 points, want %d in the second part", share, len(first), len(second), want)
		}
		if held := slices.Compact(Labels(y, second)); len(held) != min(want, 5) { // of as many classes as possible
			t.Errorf("share %v: points of the classes %v", share, held)
		}
	}
}

// TestSplitLargeLabels: labels need not be numbered from 0, and a large one takes no memory.
func TestSplitLargeLabels(t *testing.T) {
	y := []int{5, 5, 5, 1 << 60, 1 << 60, 0}
	a, b := StratifiedFolds(y, 2, 1), StratifiedFolds([]int{1, 1, 1, 2, 2, 0}, 2, 1)
	if !slices.Equal(a[0], b[0]) || !slices.Equal(a[1], b[1]) {
		t.Errorf("folds %v, want %v", a, b)
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

// TestMinMax: the values are (x − min)/(max − min), computed with 200 binary digits, for features of any unit and origin.
func TestMinMax(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for range 200 {
		n := 1 + r.IntN(20)
		unit, origin := math.Ldexp(1, r.IntN(1900)-1000), 0.0
		if r.IntN(2) == 0 {
			origin = unit * math.Ldexp(r.NormFloat64(), r.IntN(20))
		}
		X := mat.NewDense(n, 1, nil)
		for i := range n {
			X.Set(i, 0, origin+unit*r.NormFloat64())
		}
		s, err := MinMax(X)
		if err != nil {
			t.Fatal(err)
		}
		Z, x := s.Transform(X), mat.Col(nil, 0, X)
		lo, hi := slices.Min(x), slices.Max(x)
		big := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
		for i, v := range x {
			want := 0.0
			if hi > lo {
				want, _ = big(0).Quo(big(0).Sub(big(v), big(lo)), big(0).Sub(big(hi), big(lo))).Float64()
			}
			near(t, "between 0 and 1", Z.At(i, 0), want, 1e-15)
			near(t, "inverse", s.Inverse(Z).At(i, 0), v, 1e-15*(hi-lo+math.Abs(v)))
		}
	}
	for _, same := range [][]float64{{7, 7}, {0.1 + 0.2, 0.3}} {
		if s, err := MinMax(mat.NewDense(2, 1, same)); err != nil || s.Scale[0] != 1 {
			t.Errorf("constant: %v, %v", s, err)
		}
	}
	if _, err := MinMax(mat.NewDense(2, 2, []float64{0, -1e308, 1, 1e308})); err == nil || !strings.Contains(err.Error(), "column 1 of X") {
		t.Errorf("a range that is too large: %v", err)
	}
}

// TestStandardizeConstants: for n equal numbers c the mean is c and the deviation 0, so Scale is 1 and a new
// point c + 1 becomes 1, for any n and c.
func TestStandardizeConstants(t *testing.T) {
	for _, n := range []int{1, 7, 60, 1000, 30000} {
		values := []float64{0, 5, 0.1, 1.0 / 3, 1e8 + 0.1, -1e8 - 0.3, 1e-8, 1e-200, 5e-324, 1e300}
		X := mat.NewDense(n, len(values), nil)
		for i := range n {
			X.SetRow(i, values)
		}
		s, err := Standardize(X)
		if err != nil {
			t.Fatal(err)
		}
		for j, c := range values {
			if s.Scale[j] != 1 || math.Abs(s.Mean[j]-c) > 1e-15*math.Abs(c) {
				t.Errorf("%d times %v: scale %v, mean %v", n, c, s.Scale[j], s.Mean[j])
			}
			new := mat.NewDense(1, len(values), slices.Clone(values))
			new.Set(0, j, c+1)
			near(t, "a new point", s.Transform(new).At(0, j), c+1-c, 1e-7)
		}
	}
}

// TestStandardizeRange: numbers m ± s have the deviation s, for all sizes of m and s, even if their squares are out of
// range, or m is so large that the rounding error of a sum exceeds s.
func TestStandardizeRange(t *testing.T) {
	const n = 100000
	for _, c := range []struct{ mean, sd float64 }{{0, 1e-200}, {1e-200, 1e-200}, {0, 1e200}, {1, 0x1p-40}, {-0x1p30, 0x1p-12}, {0, 1e-320}, {1e306, 1e305}} {
		X := mat.NewDense(n, 1, nil)
		for i := range n {
			X.Set(i, 0, c.mean+c.sd*float64(1-i%2*2))
		}
		s, err := Standardize(X)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(s.Mean[0]-c.mean) > 1e-9*c.sd || math.Abs(s.Scale[0]-c.sd) > 1e-9*c.sd {
			t.Errorf("mean %v and deviation %v, want %v and %v", s.Mean[0], s.Scale[0], c.mean, c.sd)
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
