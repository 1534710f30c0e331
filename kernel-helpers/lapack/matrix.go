package lapack

import (
	"gonum.org/v1/gonum/blas/blas64"
)

// matrix returns an m×n matrix that shares the memory of a. Its rows are lda elements apart.
func matrix(m, n int, a []float64, lda int) blas64.General {
	return blas64.General{Rows: m, Cols: n, Stride: max(1, lda), Data: a}
}

// zeros returns an m×n matrix of zeros.
func zeros(m, n int) blas64.General { return matrix(m, n, make([]float64, m*n), n) }

// row returns row i.
func row(a blas64.General, i int) []float64 {
	if a.Cols == 0 {
		return nil
	}
	return a.Data[i*a.Stride : i*a.Stride+a.Cols]
}

// block returns the rows [i0, i1) and columns [j0, j1) of a as a matrix that shares the memory of a.
func block(a blas64.General, i0, i1, j0, j1 int) blas64.General {
	b := blas64.General{Rows: i1 - i0, Cols: j1 - j0, Stride: a.Stride}
	if b.Rows > 0 && b.Cols > 0 {
		b.Data = a.Data[i0*a.Stride+j0 : (i1-1)*a.Stride+j1]
	}
	return b
}

// holds reports whether a is long enough for an m×n matrix whose rows are lda elements apart.
func holds(m, n int, a []float64, lda int) bool {
	return lda >= max(1, n) && len(a) >= (m-1)*lda+n
}

// finiteRow reports whether all elements of x are finite. It adds up 0·x_i, which is NaN for an element that is not
// finite.
func finiteRow(x []float64) bool {
	var s float64
	for _, v := range x {
		s += 0 * v
	}
	return s == 0
}

// copyTo copies a into the matrix to, which has the same shape.
func copyTo(to, a blas64.General) {
	for i := range a.Rows {
		copy(row(to, i), row(a, i))
	}
}

// transpose stores aᵀ in the matrix to. It copies one small square at a time, so that this square of both matrices
// stays in the cache.
func transpose(to, a blas64.General) {
	const side = 16
	for i0 := 0; i0 < a.Rows; i0 += side {
		i1 := min(i0+side, a.Rows)
		for j0 := 0; j0 < a.Cols; j0 += side {
			j1 := min(j0+side, a.Cols)
			for j := j0; j < j1; j++ {
				t := to.Data[j*to.Stride : j*to.Stride+i1]
				for i := i0; i < i1; i++ {
					t[i] = a.Data[i*a.Stride+j]
				}
			}
		}
	}
}
