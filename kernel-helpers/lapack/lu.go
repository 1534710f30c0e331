package lapack

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"overcomplete/kernel-helpers/internal/vector"
)

// Dgetrf computes A = PLU for A m×n with row interchanges: row i was exchanged with row ipiv[i]. It returns
// false if U has a zero on its diagonal. The recursion is that of S. Toledo, Locality of reference in LU
// decomposition with partial pivoting, SIAM J. Matrix Anal. Appl. 18 (1997).
func (f implementation) Dgetrf(m, n int, a []float64, lda int, ipiv []int) (ok bool) {
	k := min(m, n)
	if k <= small || !holds(m, n, a, lda) || len(ipiv) != k {
		return f.Implementation.Dgetrf(m, n, a, lda, ipiv)
	}
	A := matrix(m, n, a, lda)
	var panel buffer
	ok = lu(block(A, 0, m, 0, k), ipiv, &panel)
	if n > k { // U12 = L11⁻¹ P A12
		exchange(block(A, 0, m, k, n), ipiv)
		blas64.Implementation().Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, k, n-k, 1, a, lda, a[k:], lda)
	}
	return ok
}

// luLeaf is the largest number of columns that lu processes one by one, in transposed form.
const luLeaf = 8

// lu does what Dgetrf does, for a matrix A (m×n) with n <= m. panel is workspace.
func lu(A blas64.General, piv []int, panel *buffer) (ok bool) {
	m, n := A.Rows, A.Cols
	if n <= luLeaf {
		P := panel.matrix(n, m)
		transpose(P, A)
		ok = luRows(P, piv)
		transpose(A, P)
		return ok
	}
	k := (n/2 + luLeaf - 1) / luLeaf * luLeaf
	left, right := block(A, 0, m, 0, k), block(A, 0, m, k, n)
	ok = lu(left, piv[:k], panel)
	exchange(right, piv[:k])
	L11, L21 := block(left, 0, k, 0, k), block(left, k, m, 0, k)
	U12, A22 := block(right, 0, k, 0, n-k), block(right, k, m, 0, n-k)
	blas64.Implementation().Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, k, n-k, 1, L11.Data, L11.Stride, U12.Data, U12.Stride)
	if m > k {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, L21, U12, 1, A22)
	}
	ok = lu(A22, piv[k:], panel) && ok
	exchange(L21, piv[k:])
	for i := k; i < n; i++ {
		piv[i] += k
	}
	return ok
}

// luRows factors A (m×n) as lu does, but takes the transpose P of A (n×m), and replaces it by the transposed factors.
func luRows(P blas64.General, piv []int) (ok bool) {
	const smallest = 0x1p-1022 // its inverse is finite
	ok = true
	n, m := P.Rows, P.Cols
	for j := range n {
		r := row(P, j)
		p := j + blas64.Iamax(vector.Of(r[j:]))
		piv[j] = p
		pivot := r[p]
		if pivot == 0 {
			ok = false
		} else {
			if p != j {
				for i := range n {
					s := row(P, i)
					s[j], s[p] = s[p], s[j]
				}
			}
			if math.Abs(pivot) >= smallest {
				blas64.Scal(1/pivot, vector.Of(r[j+1:]))
			} else {
				for i := j + 1; i < m; i++ {
					r[i] /= pivot
				}
			}
		}
		if j+1 < n && j+1 < m {
			column := blas64.Vector{N: n - j - 1, Inc: P.Stride, Data: P.Data[(j+1)*P.Stride+j:]}
			blas64.Ger(-1, column, vector.Of(r[j+1:]), block(P, j+1, n, j+1, m))
		}
	}
	return ok
}

// exchange exchanges row i of A with row piv[i], for each i in turn.
func exchange(A blas64.General, piv []int) {
	for i, p := range piv {
		if i != p {
			r, s := row(A, i), row(A, p)
			for j, x := range r {
				r[j], s[j] = s[j], x
			}
		}
	}
}

// smallInverse is the largest order of a matrix whose inverse is left to gonum (BenchmarkGonum).
const smallInverse = 64

// Dgetri overwrites the argument a, in which Dgetrf stored the factors of A, with A⁻¹. It returns false if U has a zero
// on its diagonal.
func (f implementation) Dgetri(n int, a []float64, lda int, ipiv []int, work []float64, lwork int) (ok bool) {
	if n <= smallInverse || lwork < n || len(work) < lwork || !holds(n, n, a, lda) || len(ipiv) != n {
		return f.Implementation.Dgetri(n, a, lda, ipiv, work, lwork)
	}
	work[0] = float64(n)
	A, L := matrix(n, n, a, lda), zeros(n, n)
	for i := range n {
		copy(row(L, i)[:i], row(A, i))
	}
	if !f.Dtrtri(blas.Upper, blas.NonUnit, n, a, lda) {
		return false
	}
	for i := range n {
		clear(row(A, i)[:i])
	}
	// A⁻¹ = U⁻¹ L⁻¹ Pᵀ
	blas64.Implementation().Dtrsm(blas.Right, blas.Lower, blas.NoTrans, blas.Unit, n, n, 1, L.Data, L.Stride, a, lda)
	for i := range n {
		r := row(A, i)
		for j := n - 1; j >= 0; j-- {
			if p := ipiv[j]; p != j {
				r[j], r[p] = r[p], r[j]
			}
		}
	}
	return true
}
