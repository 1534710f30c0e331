package lapack

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
)

// tall is the least ratio of rows to columns at which svd computes a QR factorization before the bidiagonal form.
const tall = 1.6

// Dgesvd computes the singular values of A, m×n, in descending order, and the vectors that are asked for: the
// columns of U in u, the rows of Vᵀ in vt. It uses divide and conquer on the bidiagonal form; A is overwritten.
func (f implementation) Dgesvd(jobU, jobVT lapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, lwork int) (ok bool) {
	k := min(m, n)
	columns, rows := vectorsOf(jobU, m, k), vectorsOf(jobVT, n, k)
	if k <= bidiagonalLeaf || columns < 0 || rows < 0 || columns+rows == 0 && float64(m) < tall*float64(n) && float64(n) < tall*float64(m) ||
		lwork < 3*k+max(m, n) || lwork < 5*k || len(work) < lwork || !holds(m, n, a, lda) || len(s) < k ||
		ldu < 1 || ldvt < 1 || columns > 0 && !holds(m, columns, u, ldu) || rows > 0 && !holds(rows, n, vt, ldvt) || !moderate(matrix(m, n, a, lda)) {
		return f.Implementation.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork)
	}
	work[0] = float64(max(3*k+max(m, n), 5*k))
	A := matrix(m, n, a, lda)
	U, VT := matrix(m, columns, u, ldu), matrix(rows, n, vt, ldvt)
	if m >= n {
		return f.svd(A, s[:k], U, VT)
	}
	// Aᵀ = V S Uᵀ
	B, V, UT := zeros(n, m), zeros(n, rows), zeros(columns, m)
	transpose(B, A)
	if !f.svd(B, s[:k], V, UT) {
		return false
	}
	transpose(U, UT)
	transpose(VT, V)
	return true
}

// vectorsOf returns how many of n vectors a job asks for: n, k (the number of singular values) or 0. It returns −1 for
// jobs that are left to gonum.
func vectorsOf(job lapack.SVDJob, n, k int) int {
	switch job {
	case lapack.SVDAll:
		return n
	case lapack.SVDStore:
		return k
	case lapack.SVDNone:
		return 0
	}
	return -1
}

// moderate reports whether all elements of A are finite and the largest absolute value is neither very large nor very
// small.
func moderate(A blas64.General) bool {
	big := 0.0
	for i := range A.Rows {
		r := row(A, i)
		if !finiteRow(r) {
			return false
		}
		for _, x := range r {
			big = max(big, math.Abs(x))
		}
	}
	return big > 1e-100 && big < 1e100
}

// svd computes the singular values of A, m×n with m >= n. Unless U is empty, svd fills it with columns of the m×m
// matrix of left vectors: with all of them, or with the first n. Unless VT is empty, svd fills it with Vᵀ, n×n. It
// overwrites A.
func (f implementation) svd(A blas64.General, s []float64, U, VT blas64.General) (ok bool) {
	m, n := A.Rows, A.Cols
	B := A
	var tauQR []float64
	if float64(m) >= tall*float64(n) {
		tauQR = make([]float64, n)
		qr(A, tauQR)
		B = zeros(n, n)
		for i := range n {
			copy(row(B, i)[i:], row(A, i)[i:])
		}
	}
	e, tauQ, tauP := make([]float64, n-1), make([]float64, n), make([]float64, n)
	work := make([]float64, 64*(B.Rows+n))
	f.Dgebrd(B.Rows, n, B.Data, B.Stride, s, e, tauQ, tauP, work, len(work))
	if U.Cols+VT.Rows == 0 {
		return f.Dbdsqr(blas.Upper, n, 0, 0, 0, s, e, nil, 1, nil, 1, nil, 1, work)
	}
	t, _, ok := new(bidiagonal).divide(s, e)
	if !ok {
		return false
	}
	for i := range n {
		s[i] = t[n-1-i].s
	}
	if VT.Rows > 0 { // Vᵀ = V_Bᵀ Pᵀ; P does not change the first column
		for i := range n {
			copy(row(VT, i), t[n-1-i].v)
		}
		multiply(blas.Right, blas.Trans, block(B, 0, n-1, 1, n), true, tauP[:n-1], block(VT, 0, n, 1, n))
	}
	if U.Cols > 0 { // U = Q U_B
		unit(U, 0)
		UB := zeros(n, n)
		for i := range n {
			copy(row(UB, i), t[n-1-i].u)
		}
		transpose(block(U, 0, n, 0, n), UB)
		multiply(blas.Left, blas.NoTrans, B, false, tauQ, block(U, 0, B.Rows, 0, U.Cols))
		if tauQR != nil {
			multiply(blas.Left, blas.NoTrans, A, false, tauQR, U)
		}
	}
	return true
}
