package nnls

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// A scale keeps A'A and A'B in range for any A and B: column i of A is divided by 2^a_i and column j of B by 2^b_j, so
// that their largest elements are near 1. The scaled problem has the solution X_ij·2^(a_i−b_j), where X is that of the
// original problem. Powers of two cause no rounding.
type scale struct {
	a, b []int // k, p
}

// makeUniform gives all columns of A the same exponent, and likewise all columns of B, to keep the caller's relative
// scales. It is for ADMM, whose iterates depend on the relative scales of A's columns; for other methods it does
// nothing. There are two exceptions:
//
// If the exponents of A's columns differ by more than 3 and ρ is not given, they do not change, and the scaled columns
// have about the same size. ADMM has one ρ for all columns. With columns of different sizes, its number of iterations
// would grow with the square of the ratio of the sizes.
//
// If the exponents of B's columns differ by more than 500, they do not change, because otherwise A'B could leave the
// range of float64.
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

// exponents returns, for each v_i > 0, the least e_i with v_i < 2^e_i. For v_i = 0 it returns the least of these
// exponents (0 if all v_i are zero).
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
