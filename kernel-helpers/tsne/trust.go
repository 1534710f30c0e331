package tsne

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// Trustworthiness measures whether the k nearest neighbors in a map Y (n×D) are near in the data X (n×d) too (J. Venna
// and S. Kaski, Neighborhood preservation in nonlinear projection methods, ICANN 2001). It is 1 minus a penalty for
// each intruder. An intruder is a point j that is one of the k nearest neighbors of point i in the map, but has a rank
// r(i, j) above k among the neighbors of i in the data:
//
//	T(k) = 1 − 2/(n k (2n − 3k − 1)) Σ_i Σ_j intruder (r(i, j) − k),    1 <= k < n/2.
//
// 1 is perfect; chance gives about 0.5. Y may come from any method. Ties of distance are broken by index.
// Trustworthiness computes n² distances in X, and takes O(n²k) time in addition.
//
// It returns an error for nil, empty, NaN or infinite data, overflowing distances, and a k out of range. It
// panics if X and Y differ in the number of rows.
func Trustworthiness(X, Y mat.Matrix, k int) (float64, error) {
	x, err := finite.Dense("X", X)
	if err != nil {
		return 0, fmt.Errorf("tsne: Trustworthiness: %w", err)
	}
	y, err := finite.Dense("Y", Y)
	if err != nil {
		return 0, fmt.Errorf("tsne: Trustworthiness: %w", err)
	}
	n, _ := x.Dims()
	if m, _ := y.Dims(); m != n {
		panic(fmt.Sprintf("tsne: Trustworthiness: X has %d rows, Y has %d", n, m))
	}
	if k < 1 || 2*k >= n {
		return 0, fmt.Errorf("tsne: Trustworthiness: k is %d, must be at least 1 and below half of the %d points", k, n)
	}
	penalty := make([]float64, n)
	overflow := make([]bool, n)
	strips(n, team{}, func(_, from, to int) {
		dx, dy, order := make([]float64, n), make([]float64, n), make([]int, n)
		for i := from; i < to; i++ {
			for j := range n {
				dx[j] = squaredDistance(x.RawRowView(i), x.RawRowView(j))
				dy[j] = squaredDistance(y.RawRowView(i), y.RawRowView(j))
			}
			orDistances(dx, x, i)
			orDistances(dy, y, i)
			if finite.Index(dx) >= 0 || finite.Index(dy) >= 0 {
				overflow[i] = true
				return
			}
			// The point itself ranks before all others.
			dx[i], dy[i] = -1, -1
			for _, j := range smallest(order, dy, k+1)[1:] {
				rank := 0
				for l, d := range dx {
					if d < dx[j] || d == dx[j] && l < j {
						rank++
					}
				}
				penalty[i] += float64(max(0, rank-k))
			}
		}
	})
	if i := slices.Index(overflow, true); i >= 0 {
		return 0, fmt.Errorf("tsne: Trustworthiness: the distances of point %d overflow: scale X and Y", i)
	}
	return 1 - 2*total(penalty)/(float64(n)*float64(k)*float64(2*n-3*k-1)), nil
}

// orDistances replaces d, the squared distances from point i, by the distances themselves if a square overflows or
// underflows. The order of the points by distance stays the same.
func orDistances(d []float64, x *mat.Dense, i int) {
	row := x.RawRowView(i)
	fits := func(j int) bool {
		return d[j] > 0x1p-960 && d[j] <= math.MaxFloat64 || slices.Equal(row, x.RawRowView(j))
	}
	for j := range d {
		if fits(j) {
			continue
		}
		for l := range d {
			d[l] = floats.Distance(row, x.RawRowView(l), 2)
		}
		return
	}
}

// smallest returns the indices of the k least elements of d, in ascending order of the elements. Of equal elements,
// the one with the lower index comes first. order is a buffer for the result.
func smallest(order []int, d []float64, k int) []int {
	// Insertion sort: nearly all elements of a long d are above the k-th.
	order = order[:0]
	last := math.Inf(1)
	for j, v := range d {
		if len(order) == k {
			if v >= last {
				continue
			}
			order = order[:k-1]
		}
		at := len(order)
		for at > 0 && d[order[at-1]] > v {
			at--
		}
		order = slices.Insert(order, at, j)
		last = d[order[len(order)-1]]
	}
	return order
}
