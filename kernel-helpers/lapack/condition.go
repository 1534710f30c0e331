package lapack

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"

	"overcomplete/kernel-helpers/internal/vector"
)

// Each of gonum's decompositions estimates a condition number, by a few solutions of triangular systems. For 400 rows
// this took longer than a Cholesky factorization, since gonum guards each step of a solution against overflow and reads
// columns. The methods in this file solve without guards, along rows. If a solution is so large that guards may be
// necessary, they leave the matrix to gonum.

// largest is a bound on the elements of a solution. If an element is not below it, guards may be necessary.
const largest = 1e200

// Dpocon estimates the reciprocal of the condition number, in the 1-norm, of a symmetric positive definite matrix A.
// The argument a holds the factor of A that Dpotrf computed, and anorm is the 1-norm of A.
func (f implementation) Dpocon(uplo blas.Uplo, n int, a []float64, lda int, anorm float64, work []float64, iwork []int) float64 {
	if n > small && (uplo == blas.Upper || uplo == blas.Lower) && anorm > 0 && holds(n, n, a, lda) && len(work) >= 3*n && len(iwork) >= n {
		t := triangular{uplo, blas.NonUnit, n, a, lda}
		// A = UᵀU or LLᵀ; A and its inverse are symmetric.
		first := uplo == blas.Upper
		if inverse, ok := f.inverseNorm(lapack.MaxColumnSum, n, work, iwork, func(x []float64, _ bool) {
			t.solve(x, first)
			t.solve(x, !first)
		}); ok {
			return 1 / inverse / anorm
		}
	}
	return f.Implementation.Dpocon(uplo, n, a, lda, anorm, work, iwork)
}

// Dgecon estimates the reciprocal of the condition number of A in the given norm. The argument a holds the factors of A
// that Dgetrf computed, and anorm is the norm of A.
func (f implementation) Dgecon(norm lapack.MatrixNorm, n int, a []float64, lda int, anorm float64, work []float64, iwork []int) float64 {
	if n > small && oneOrInf(norm) && anorm > 0 && !math.IsInf(anorm, 1) && holds(n, n, a, lda) && len(work) >= 4*n && len(iwork) >= n {
		L, U := triangular{blas.Lower, blas.Unit, n, a, lda}, triangular{blas.Upper, blas.NonUnit, n, a, lda}
		if inverse, ok := f.inverseNorm(norm, n, work, iwork, func(x []float64, trans bool) {
			if trans {
				U.solve(x, true)
				L.solve(x, true)
			} else {
				L.solve(x, false)
				U.solve(x, false)
			}
		}); ok {
			return 1 / inverse / anorm
		}
	}
	return f.Implementation.Dgecon(norm, n, a, lda, anorm, work, iwork)
}

// Dtrcon estimates the reciprocal of the condition number of a triangular matrix in the given norm.
func (f implementation) Dtrcon(norm lapack.MatrixNorm, uplo blas.Uplo, diag blas.Diag, n int, a []float64, lda int, work []float64, iwork []int) float64 {
	if n > small && oneOrInf(norm) && (uplo == blas.Upper || uplo == blas.Lower) && (diag == blas.NonUnit || diag == blas.Unit) &&
		holds(n, n, a, lda) && len(work) >= 3*n && len(iwork) >= n {
		if anorm := f.Dlantr(norm, uplo, diag, n, n, a, lda, work); anorm > 0 {
			if inverse, ok := f.inverseNorm(norm, n, work, iwork, triangular{uplo, diag, n, a, lda}.solve); ok {
				return 1 / anorm / inverse
			}
		}
	}
	return f.Implementation.Dtrcon(norm, uplo, diag, n, a, lda, work, iwork)
}

func oneOrInf(norm lapack.MatrixNorm) bool {
	return norm == lapack.MaxColumnSum || norm == lapack.MaxRowSum
}

// inverseNorm estimates the norm of A⁻¹. It calls solve(x, trans), which must replace x by A⁻¹x, or by A⁻ᵀx if trans is
// true. inverseNorm returns false if a solution is very large or not finite.
func (f implementation) inverseNorm(norm lapack.MatrixNorm, n int, work []float64, iwork []int, solve func(x []float64, trans bool)) (estimate float64, ok bool) {
	x, kase := work[:n], 0
	var save [3]int
	for {
		estimate, kase = f.Dlacn2(n, work[n:], x, iwork, estimate, kase, &save)
		if kase == 0 {
			return estimate, estimate > 0
		}
		// Dlacn2 asks for Bx (1) and Bᵀx (2). B is A⁻¹, or A⁻ᵀ for the norm of the rows.
		solve(x, (kase == 2) == (norm == lapack.MaxColumnSum))
		for _, v := range x {
			if !(math.Abs(v) < largest) { // NaN too
				return 0, false
			}
		}
	}
}

// A triangular is a triangular n×n matrix A.
type triangular struct {
	uplo blas.Uplo
	diag blas.Diag
	n    int
	a    []float64
	lda  int
}

// solve replaces x by A⁻¹x, or by A⁻ᵀx if trans is true. It works on blocks of rows.
func (t triangular) solve(x []float64, trans bool) {
	const rows = 16
	upper := t.uplo == blas.Upper
	for done := 0; done < t.n; done += rows {
		from, to := done, min(done+rows, t.n)
		if upper != trans {
			from, to = t.n-to, t.n-from
		}
		// The columns of these rows outside the square on the diagonal
		other, y := block(matrix(t.n, t.n, t.a, t.lda), from, to, 0, from), x[:from]
		if upper {
			other, y = block(matrix(t.n, t.n, t.a, t.lda), from, to, to, t.n), x[to:]
		}
		if !trans && len(y) > 0 {
			blas64.Gemv(blas.NoTrans, -1, other, vector.Of(y), 1, vector.Of(x[from:to]))
		}
		for k := range to - from {
			i := from + k
			if upper != trans {
				i = to - 1 - k
			}
			r, z := t.a[i*t.lda+from:i*t.lda+i], x[from:i]
			if upper {
				r, z = t.a[i*t.lda+i+1:i*t.lda+to], x[i+1:to]
			}
			if !trans {
				x[i] -= vector.DotInOrder(r, z)
			}
			if t.diag == blas.NonUnit {
				x[i] /= t.a[i*t.lda+i]
			}
			if trans {
				for j, v := range r {
					z[j] -= x[i] * v
				}
			}
		}
		if trans && len(y) > 0 {
			blas64.Gemv(blas.Trans, -1, other, vector.Of(x[from:to]), 1, vector.Of(y))
		}
	}
}
