package classify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/constant"
	"overcomplete/kernel-helpers/internal/subset"
)

// checkSigns panics if a label is negative.
func checkSigns(fn string, y []int) {
	for i, c := range y {
		if c < 0 {
			panic(fmt.Sprintf("classify: %s: label y[%d] is %d", fn, i, c))
		}
	}
}

// StratifiedSplit divides the points 0..len(y)-1 at random into two parts with the same mix of classes. share (0 to 1)
// is the fraction of each class that goes to the second part, rounded to a whole number of points. If this would leave
// a part of many small classes empty, the largest classes give it one point each, until its size is right. Both parts
// are ascending. The functions Rows and Labels return the data of these points.
func StratifiedSplit(y []int, share float64, seed uint64) (first, second []int) {
	if !(share >= 0 && share <= 1) {
		panic(fmt.Sprintf("classify: StratifiedSplit: share %v", share))
	}
	checkSigns("StratifiedSplit", y)
	classes := subset.ByClass(y, rand.New(rand.NewPCG(seed, 0x5eed)))
	took, bySize, sum := make([]int, len(classes)), make([]int, len(classes)), 0
	for c, idx := range classes {
		took[c], bySize[c] = int(math.Round(share*float64(len(idx)))), c
		sum += took[c]
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return len(classes[b]) - len(classes[a]) })
	if want := int(math.Round(share * float64(len(y)))); sum == 0 || sum == len(y) {
		for k := 0; sum != want; k++ {
			step := 1
			if sum > want {
				step = -1
			}
			took[bySize[k]] += step
			sum += step
		}
	}
	for c, idx := range classes {
		second = append(second, idx[:took[c]]...)
		first = append(first, idx[took[c]:]...)
	}
	slices.Sort(first)
	slices.Sort(second)
	return first, second
}

// StratifiedFolds divides the points 0..len(y)-1 at random into k folds whose sizes differ by at most one. Each class
// is spread over the folds as evenly as possible. Each fold is ascending. The function Others returns the points to
// train on.
func StratifiedFolds(y []int, k int, seed uint64) [][]int {
	if k < 2 || k > len(y) {
		panic(fmt.Sprintf("classify: StratifiedFolds: %d folds of %d points", k, len(y)))
	}
	checkSigns("StratifiedFolds", y)
	return subset.Stratified(y, k, seed)
}

// Others returns the points of all folds except fold f, ascending: the training points when fold f is the
// test set.
func Others(folds [][]int, f int) []int {
	if f < 0 || f >= len(folds) {
		panic(fmt.Sprintf("classify: Others: fold %d of %d", f, len(folds)))
	}
	return subset.Others(folds, f)
}

// Rows returns a copy of the rows idx of X (n×d), in the order of idx: len(idx)×d.
func Rows(X mat.Matrix, idx []int) *mat.Dense {
	mustNotBeNil("Rows", X)
	n, _ := X.Dims()
	if len(idx) == 0 {
		panic("classify: Rows: no rows")
	}
	for _, i := range idx {
		if i < 0 || i >= n {
			panic(fmt.Sprintf("classify: Rows: row %d of %d", i, n))
		}
	}
	return subset.Rows(X, idx)
}

// Labels returns a copy of the labels y[i], for i in the order of idx.
func Labels(y []int, idx []int) []int {
	for _, i := range idx {
		if i < 0 || i >= len(y) {
			panic(fmt.Sprintf("classify: Labels: label %d of %d", i, len(y)))
		}
	}
	return subset.Values(y, idx)
}

// A Scaler shifts and scales features: x_j becomes (x_j − Mean_j)/Scale_j. Standardize uses the means and standard
// deviations, so that features have mean 0 and standard deviation 1. MinMax uses the minimums and the ranges, so that
// features lie between 0 and 1. A feature that is constant, up to rounding in the last digits, has Scale 1.
type Scaler struct {
	Mean, Scale []float64 // d each
}

// Standardize returns a Scaler with the mean and the standard deviation of each column of X (n×d). The variance is a
// sum divided by n, not n−1. Compute the Scaler from the training points and apply it to all points.
func Standardize(X mat.Matrix) (*Scaler, error) {
	mustNotBeNil("Standardize", X)
	D, err := finite.Dense("X", X)
	if err != nil {
		return nil, fmt.Errorf("classify: Standardize: %w", err)
	}
	n, d := D.Dims()
	s := &Scaler{Mean: make([]float64, d), Scale: make([]float64, d)}
	for i := range n {
		for j, x := range D.RawRowView(i) {
			s.Mean[j] += x / float64(n)
		}
	}
	rest := make([]float64, d) // the mean of x − Mean, which is not 0 because Mean is rounded
	for i := range n {
		for j, x := range D.RawRowView(i) {
			e := x - s.Mean[j]
			s.Scale[j] += e * e / float64(n)
			rest[j] += e / float64(n)
		}
	}
	for j, same := range constant.Columns(D) {
		// The rounding error of Mean grows with n, and squares of very large or small numbers are out of range.
		if v := s.Scale[j]; same || math.Abs(rest[j]) > 1e-10*math.Sqrt(v) || !(v > 1e-290 && v < 1e290) {
			s.Mean[j], s.Scale[j] = moments(mat.Col(nil, j, D))
		} else {
			s.Scale[j] = math.Sqrt(v)
		}
		if same || s.Scale[j] == 0 {
			s.Scale[j] = 1
		}
	}
	return s, nil
}

// MinMax returns a Scaler with the minimum and the range of each column of X (n×d). Compute the Scaler from the
// training points and apply it to all points; values of other points may then lie outside [0, 1]. It is an error if a
// range is larger than the largest float64.
func MinMax(X mat.Matrix) (*Scaler, error) {
	mustNotBeNil("MinMax", X)
	D, err := finite.Dense("X", X)
	if err != nil {
		return nil, fmt.Errorf("classify: MinMax: %w", err)
	}
	_, d := D.Dims()
	s := &Scaler{Mean: make([]float64, d), Scale: make([]float64, d)}
	for j := range d {
		x := mat.Col(nil, j, D)
		lo, hi := slices.Min(x), slices.Max(x)
		s.Mean[j], s.Scale[j] = lo, hi-lo
		switch {
		case constant.Range(lo, hi):
			s.Scale[j] = 1
		case math.IsInf(hi-lo, 0):
			return nil, fmt.Errorf("classify: MinMax: column %d of X is from %v to %v, a range that float64 cannot hold", j, lo, hi)
		}
	}
	return s, nil
}

// moments returns the mean and the standard deviation of x, and overwrites x. Their errors do not grow with the
// length of x, and squares of its values neither overflow nor underflow.
func moments(x []float64) (mean, sd float64) {
	_, exp := math.Frexp(floats.Norm(x, math.Inf(1)))
	exp = max(exp, -1000)
	for i, v := range x {
		x[i] = math.Ldexp(v, -exp-1) // less than ½, so that differences stay in range
	}
	n := float64(len(x))
	for range 2 { // the second pass adds what the rounding of the first has left
		rest := 0.0
		for _, v := range x {
			rest += (v - mean) / n
		}
		mean += rest
	}
	floats.AddConst(-mean, x)
	return math.Ldexp(mean, exp+1), math.Ldexp(math.Sqrt(floats.Dot(x, x)/n), exp+1)
}

// Transform returns a copy of the rows of X (m×d), shifted and scaled.
func (s *Scaler) Transform(X mat.Matrix) *mat.Dense {
	D := input("Transform", X, len(s.Mean))
	m, d := D.Dims()
	out := mat.NewDense(m, d, nil)
	for i := range m {
		o := out.RawRowView(i)
		for j, x := range D.RawRowView(i) {
			o[j] = (x - s.Mean[j]) / s.Scale[j]
		}
	}
	return out
}

// Inverse undoes Transform: it returns the rows of Z (m×d) in the features' own units.
func (s *Scaler) Inverse(Z mat.Matrix) *mat.Dense {
	D := input("Inverse", Z, len(s.Mean))
	m, d := D.Dims()
	out := mat.NewDense(m, d, nil)
	for i := range m {
		o := out.RawRowView(i)
		for j, z := range D.RawRowView(i) {
			o[j] = z*s.Scale[j] + s.Mean[j]
		}
	}
	return out
}
