// Package constant distinguishes constant features from features that vary. The deviation from a computed mean cannot
// do this: the computed mean of n numbers that are all 0.1 is not exactly 0.1. The error, which grows with n, looks
// like a small deviation. So this package compares the numbers with each other.
package constant

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/csr"
)

// few is the largest relative difference that counts as rounding error: 45 units in the last place. (The same quantity,
// computed in two ways, may differ in its last places.)
const few = 1e-14

// Range reports whether the smallest and the largest of some numbers (lo and hi) are equal up to rounding.
func Range(lo, hi float64) bool {
	return hi-lo <= few*math.Max(math.Abs(lo), math.Abs(hi))
}

// Values reports whether all elements of x (not empty) are equal up to rounding.
func Values(x []float64) bool { return Range(slices.Min(x), slices.Max(x)) }

// Columns reports for each column of X (n×d) whether it is constant.
func Columns(X mat.Matrix) []bool {
	n, d := X.Dims()
	lo, hi := make([]float64, d), make([]float64, d)
	for j := range lo {
		lo[j], hi[j] = math.Inf(1), math.Inf(-1)
	}
	see := func(j int, x float64) { lo[j], hi[j] = min(lo[j], x), max(hi[j], x) }
	if S, ok := X.(*csr.Matrix); ok {
		count := make([]int, d)
		S.DoNonZero(func(_, j int, x float64) {
			see(j, x)
			count[j]++
		})
		for j, m := range count {
			if m < n {
				see(j, 0)
			}
		}
	} else {
		D := finite.AsDense(X)
		left := make([]int, d) // columns in which all numbers so far are equal
		for j := range left {
			left[j] = j
		}
		for i := 0; i < n && len(left) > 0; i++ {
			row := D.RawRowView(i)
			left = slices.DeleteFunc(left, func(j int) bool {
				see(j, row[j])
				return !Range(lo[j], hi[j])
			})
		}
	}
	all := make([]bool, d)
	for j := range all {
		all[j] = Range(lo[j], hi[j])
	}
	return all
}
