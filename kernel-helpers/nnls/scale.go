package nnls

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// A scale keeps A'A and A'B in range for any A and B: column i of A is divided by 2^a_i and column j of B by
// 2^b_j, so that their largest elements are near 1. The problem is then the same in X_ij·2^(a_i−b_j). Powers
// of two do not change the significand of numbers in range.
type scale struct {
	a, b []int // k, p
}

// makeUniform is for ADMM, whose iterates depend on the relative scales of A's columns; for other methods it does
// nothing. To keep the caller's relative scales, it sets all exponents of A's columns to the same number, and likewise
// those of B's columns. There are two exceptions. If the exponents of A's columns differ by more than 3 and ρ is not
// given, each column of A keeps its own exponent, because ADMM has one ρ for all columns, and the number of its
// iterations grows with the square of the ratio of their scales. If the exponents of B's columns differ so much that
// A'B would leave the range of float64, each column of B keeps its own exponent.
func (s scale) makeUniform(o Options) {
	if o.Method != ADMM {
		return
	}
	level := func(e []int, most int) {
		if len(e) == 0 {
			return
		}
		if top := slices.Max(e); top-slices.Min(e) <= most {
			for i := range e {
				e[i] = top
			}
		}
	}
	if o.Rho > 0 {
		level(s.a, math.MaxInt)
	}
	level(s.a, 3)
	level(s.b, 500)
}

// apply divides column j of M by 2^e_j.
func (s scale) apply(M blas64.General, e []int) {
	for i := range M.Rows {
		row := M.Data[i*M.Stride:][:M.Cols]
		for j := range row {
			row[j] = math.Ldexp(row[j], -e[j])
		}
	}
}

// columnExponents returns the exponents of the largest elements of the columns of M.
func columnExponents(M blas64.General) []int {
	most := make([]float64, M.Cols)
	for i := range M.Rows {
		for j, v := range M.Data[i*M.Stride:][:M.Cols] {
			most[j] = max(most[j], math.Abs(v))
		}
	}
	return exponents(most)
}

// rowExponents returns the exponents of the largest elements of the rows of M.
func rowExponents(M blas64.General) []int {
	most := make([]float64, M.Rows)
	for i := range M.Rows {
		for _, v := range M.Data[i*M.Stride:][:M.Cols] {
			most[i] = max(most[i], math.Abs(v))
		}
	}
	return exponents(most)
}

// exponents returns e with v_i < 2^e_i for v >= 0. A zero gets the least exponent of the nonzero elements.
func exponents(v []float64) []int {
	list := make([]int, len(v))
	least := math.MaxInt
	for i, x := range v {
		if x > 0 {
			_, list[i] = math.Frexp(x)
			least = min(least, list[i])
		}
	}
	for i, x := range v {
		if x == 0 && least < math.MaxInt {
			list[i] = least
		}
	}
	return list
}
