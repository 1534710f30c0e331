package lapack

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/symeig"
)

// smallEigenSym is the largest order of a symmetric matrix that is left to gonum (BenchmarkGonum).
const smallEigenSym = 72

// Dsyev computes the eigenvalues of a symmetric matrix A, n×n, in ascending order. With EVCompute it also stores the
// eigenvectors in the columns of the argument a; it then uses divide and conquer (package symeig). Eigenvalues without
// vectors are left to gonum, which is as fast.
func (f implementation) Dsyev(job lapack.EVJob, uplo blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) (ok bool) {
	if job != lapack.EVCompute || n <= smallEigenSym || uplo != blas.Upper && uplo != blas.Lower ||
		lwork < 3*n-1 || len(work) < lwork || !holds(n, n, a, lda) || len(w) < n || !finiteTriangle(uplo, n, a, lda) {
		return f.Implementation.Dsyev(job, uplo, n, a, lda, w, work, lwork)
	}
	c := blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: lda, Data: a}
	if uplo == blas.Lower {
		c.Stride, c.Data = n, make([]float64, n*n)
		for i := range n {
			for j, x := range a[i*lda : i*lda+i+1] {
				c.Data[j*n+i] = x
			}
		}
	}
	var s mat.SymDense
	s.SetRawSymmetric(c)
	work[0] = float64(3*n - 1)
	values, vectors, err := symeig.Full(&s, n) // which copies s
	if err != nil {
		return false
	}
	for i, x := range values {
		w[n-1-i] = x
	}
	transpose(matrix(n, n, a, lda), vectors.RawMatrix())
	for i := range n {
		slices.Reverse(a[i*lda : i*lda+n])
	}
	return true
}

// finiteTriangle reports whether one triangle of A, n×n, is finite.
func finiteTriangle(uplo blas.Uplo, n int, a []float64, lda int) bool {
	for i := range n {
		from, to := 0, i+1
		if uplo == blas.Upper {
			from, to = i, n
		}
		if !finiteRow(a[i*lda+from : i*lda+to]) {
			return false
		}
	}
	return true
}
