package gemm

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// Dgemm computes C = alpha op(A) op(B) + beta C, where op(X) is X or Xᵀ, for C m×n, op(A) m×k and op(B) k×n,
// all in row-major order. The package comment describes the treatment of NaN and Inf.
func (f BLAS) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	q := current.f64
	if q == nil || !isPlain(alpha) || isTiny(tB, m, n, k) {
		f.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	gemm(q, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Sgemm is Dgemm for float32.
func (f BLAS) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	q := current.f32
	if q == nil || !isPlain(alpha) || isTiny(tB, m, n, k) {
		f.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	gemm(q, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// isPlain reports whether alpha is neither 0, NaN nor Inf. If alpha is one of these, gonum's order of operations
// decides where a NaN appears, so gonum computes the product.
func isPlain[T number](alpha T) bool {
	return alpha != 0 && !math.IsNaN(float64(alpha)) && !math.IsInf(float64(alpha), 0)
}

// isTiny reports whether a product is so small that gonum's loops are faster than this package
// (BenchmarkSmall). The limit is higher for a transposed B, which would have to be packed.
func isTiny(tB blas.Transpose, m, n, k int) bool {
	if tB == blas.NoTrans {
		return m <= smallSide && n <= smallSide && k <= smallSide && m*n*k < smallProduct
	}
	return m <= 8 && n <= 8 && k <= 8 && m*n*k <= 128
}

// gemm checks the arguments as gonum does and computes the product.
func gemm[T number](q *kernels[T], tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	aTrans, bTrans := isTransposed(tA), isTransposed(tB)
	checkSizes(m, n, k)
	checkStride(aTrans, m, k, lda, badLdA)
	checkStride(bTrans, k, n, ldb, badLdB)
	checkStride(false, m, n, ldc, badLdC)
	if m == 0 || n == 0 {
		return
	}
	checkLength(aTrans, m, k, lda, len(a), shortA)
	checkLength(bTrans, k, n, ldb, len(b), shortB)
	checkLength(false, m, n, ldc, len(c), shortC)
	if k == 0 {
		scale(m, n, beta, c, ldc)
		return
	}
	q.product(Workers(), m, n, k, alpha, viewOf(aTrans, a, lda), viewOf(bTrans, b, ldb), beta, c, ldc)
}

// viewOf returns the matrix op(X) for X with the given stride.
func viewOf[T number](trans bool, x []T, ld int) view[T] {
	if trans {
		return view[T]{x, 1, ld}
	}
	return view[T]{x, ld, 1}
}

// scale computes C = beta C; beta 0 overwrites even NaN.
func scale[T number](m, n int, beta T, c []T, ldc int) {
	if beta == 1 {
		return
	}
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}
