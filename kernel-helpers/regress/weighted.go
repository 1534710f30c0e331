package regress

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/subset"
	"overcomplete/kernel-helpers/internal/weights"
)

// weigh checks the weights s of the points. For the points whose weight is not 0, it returns X, the values y, and the
// weights. If these weights are all 1, it returns nil for them, since the formulas without weights are faster.
func weigh(fn string, X mat.Matrix, y [][]float64, s []float64) (mat.Matrix, [][]float64, []float64, error) {
	n, _ := X.Dims()
	if err := weights.Check("SampleWeights", s, n, "points"); err != nil {
		return nil, nil, nil, fmt.Errorf("regress: %s: %w", fn, err)
	}
	if s == nil {
		return X, y, nil, nil
	}
	var some []int
	ones := true
	for i, w := range s {
		if w > 0 {
			some = append(some, i)
			ones = ones && w == 1
		}
	}
	if sum := floats.Sum(s); sum == 0 || math.IsInf(sum, 0) {
		return nil, nil, nil, fmt.Errorf("regress: %s: the sum of SampleWeights is %v, must be positive and finite", fn, sum)
	}
	if len(some) < n {
		X, s = rowsOf(X, some), subset.Values(s, some)
		all := y
		y = nil
		for _, v := range all {
			y = append(y, subset.Values(v, some))
		}
	}
	if ones {
		s = nil
	}
	return X, y, s, nil
}

// total returns the sum of the weights s, or n, the number of points, if s is nil.
func total(n int, s []float64) float64 {
	if s == nil {
		return float64(n)
	}
	return floats.Sum(s)
}

// roots returns the square roots of the weights s, or nil if s is nil.
func roots(s []float64) []float64 {
	if s == nil {
		return nil
	}
	u := make([]float64, len(s))
	for i, w := range s {
		u[i] = math.Sqrt(w)
	}
	return u
}

// timesRows returns a copy of X with row i multiplied by u_i, or X itself if u is nil. The copy of a sparse X is
// sparse.
func timesRows(X mat.Matrix, u []float64) mat.Matrix {
	if u == nil {
		return X
	}
	n, d := X.Dims()
	if S, ok := X.(*csr.Matrix); ok {
		ptr, col, val := S.Raw()
		c, v := make([]int, len(col)), make([]float64, len(val))
		for i := range n {
			for p := ptr[i]; p < ptr[i+1]; p++ {
				c[p], v[p] = int(col[p]), val[p]*u[i]
			}
		}
		T, err := csr.New(n, d, ptr, c, v)
		if err != nil {
			panic("regress: " + err.Error())
		}
		return T
	}
	T := mat.NewDense(n, d, nil)
	for i, w := range u {
		floats.ScaleTo(T.RawRowView(i), w, X.(*mat.Dense).RawRowView(i))
	}
	return T
}
