package lapack

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// small is the order at or below which the recursions on triangles end. Matrices of these orders are left to gonum.
const small = 24

// Dpotrf replaces the upper triangle of A (n×n) by U, where A = UᵀU, or the lower triangle by L, where A = LLᵀ. It
// returns false if A is not positive definite.
func (f implementation) Dpotrf(uplo blas.Uplo, n int, a []float64, lda int) (ok bool) {
	if n <= small || uplo != blas.Upper && uplo != blas.Lower || !holds(n, n, a, lda) {
		return f.Implementation.Dpotrf(uplo, n, a, lda)
	}
	return f.cholesky(uplo, n, a, lda)
}

func (f implementation) cholesky(uplo blas.Uplo, n int, a []float64, lda int) (ok bool) {
	if n <= small {
		if uplo == blas.Upper {
			return choleskyRows(matrix(n, n, a, lda))
		}
		return f.Implementation.Dpotrf(uplo, n, a, lda)
	}
	k, at := halves(uplo, n, lda)
	if !f.cholesky(uplo, k, a, lda) {
		return false
	}
	b, o, off := blas64.Implementation(), n-k, a[at:]
	if uplo == blas.Upper { // U12 = U11⁻ᵀ A12, A22 − U12ᵀ U12
		b.Dtrsm(blas.Left, uplo, blas.Trans, blas.NonUnit, k, o, 1, a, lda, off, lda)
		b.Dsyrk(uplo, blas.Trans, o, k, -1, off, lda, 1, a[k*(lda+1):], lda)
	} else { // L21 = A21 L11⁻ᵀ, A22 − L21 L21ᵀ
		b.Dtrsm(blas.Right, uplo, blas.Trans, blas.NonUnit, o, k, 1, a, lda, off, lda)
		b.Dsyrk(uplo, blas.NoTrans, o, k, -1, off, lda, 1, a[k*(lda+1):], lda)
	}
	return f.cholesky(uplo, o, a[k*(lda+1):], lda)
}

// halves divides n into two parts, k and n − k, where k is a multiple of 8. off is the offset in A of the off-diagonal
// block of the triangle: the block to the right of the first k columns (Upper) or below the first k rows (Lower).
func halves(uplo blas.Uplo, n, lda int) (k, off int) {
	k = (n/2 + 7) / 8 * 8
	if uplo == blas.Upper {
		return k, k
	}
	return k, k * lda
}

// choleskyRows replaces the upper triangle of A by U, where A = UᵀU. It works on rows, which are contiguous in memory;
// gonum's Dpotf2 reads columns. It returns false if A is not positive definite.
func choleskyRows(A blas64.General) (ok bool) {
	n := A.Rows
	for i := range n {
		r := row(A, i)[:n]
		if !(r[i] > 0) {
			return false
		}
		d := math.Sqrt(r[i])
		r[i] = d
		for j := i + 1; j < n; j++ {
			r[j] /= d
		}
		for k := i + 1; k < n; k++ {
			t, s := row(A, k)[k:n], r[k]
			for j, x := range r[k:n] {
				t[j] -= s * x
			}
		}
	}
	return true
}

// Dpotri replaces the factor of A that Dpotrf stored in the argument a by the same triangle of A⁻¹. It returns false if
// the factor has a zero on its diagonal.
func (f implementation) Dpotri(uplo blas.Uplo, n int, a []float64, lda int) (ok bool) {
	if n <= small || uplo != blas.Upper && uplo != blas.Lower || !holds(n, n, a, lda) {
		return f.Implementation.Dpotri(uplo, n, a, lda)
	}
	if !f.Dtrtri(uplo, blas.NonUnit, n, a, lda) {
		return false
	}
	f.square(uplo, n, a, lda)
	return true
}

// square replaces U by UUᵀ, or L by LᵀL.
func (f implementation) square(uplo blas.Uplo, n int, a []float64, lda int) {
	if n <= small {
		f.Dlauum(uplo, n, a, lda)
		return
	}
	k, at := halves(uplo, n, lda)
	b, o, off, a2 := blas64.Implementation(), n-k, a[at:], a[k*(lda+1):]
	f.square(uplo, k, a, lda)
	if uplo == blas.Upper { // U11 U11ᵀ + U12 U12ᵀ, U12 U22ᵀ
		b.Dsyrk(uplo, blas.NoTrans, k, o, 1, off, lda, 1, a, lda)
		b.Dtrmm(blas.Right, uplo, blas.Trans, blas.NonUnit, k, o, 1, a2, lda, off, lda)
	} else { // L11ᵀ L11 + L21ᵀ L21, L22ᵀ L21
		b.Dsyrk(uplo, blas.Trans, k, o, 1, off, lda, 1, a, lda)
		b.Dtrmm(blas.Left, uplo, blas.Trans, blas.NonUnit, o, k, 1, a2, lda, off, lda)
	}
	f.square(uplo, o, a2, lda)
}

// Dtrtri inverts a triangular matrix A, n×n. It returns false if a diagonal element is 0.
func (f implementation) Dtrtri(uplo blas.Uplo, diag blas.Diag, n int, a []float64, lda int) (ok bool) {
	if n <= small || uplo != blas.Upper && uplo != blas.Lower || diag != blas.NonUnit && diag != blas.Unit || !holds(n, n, a, lda) {
		return f.Implementation.Dtrtri(uplo, diag, n, a, lda)
	}
	if diag == blas.NonUnit {
		for i := range n {
			if a[i*(lda+1)] == 0 {
				return false
			}
		}
	}
	f.invert(uplo, diag, n, a, lda)
	return true
}

func (f implementation) invert(uplo blas.Uplo, diag blas.Diag, n int, a []float64, lda int) {
	if n <= small {
		f.Implementation.Dtrtri(uplo, diag, n, a, lda)
		return
	}
	k, at := halves(uplo, n, lda)
	b, o, off, a2 := blas64.Implementation(), n-k, a[at:], a[k*(lda+1):]
	if uplo == blas.Upper { // −U11⁻¹ U12 U22⁻¹
		b.Dtrsm(blas.Left, uplo, blas.NoTrans, diag, k, o, -1, a, lda, off, lda)
		b.Dtrsm(blas.Right, uplo, blas.NoTrans, diag, k, o, 1, a2, lda, off, lda)
	} else { // −L22⁻¹ L21 L11⁻¹
		b.Dtrsm(blas.Left, uplo, blas.NoTrans, diag, o, k, -1, a2, lda, off, lda)
		b.Dtrsm(blas.Right, uplo, blas.NoTrans, diag, o, k, 1, a, lda, off, lda)
	}
	f.invert(uplo, diag, k, a, lda)
	f.invert(uplo, diag, o, a2, lda)
}
