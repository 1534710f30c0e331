package dictionary

import (
	"errors"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// leastSquares computes the B that minimizes Σ‖x − Bw‖²:
//
//	B = C A⁻¹,  A = Σww' (n×n),  C = Σxw' (D×n)
//
// This is the method of optimal directions (K. Engan, S. O. Aase and J. H. Husøy 1999) without the scaling of the
// columns. leastSquares takes C' and returns B' (n×D). If A is singular, as it always is with fewer signals than
// atoms, leastSquares adds δI to A. It starts with a very small δ, and multiplies δ by 10 until the sum is no longer
// singular (see factor).
func leastSquares(a, ct blas64.General) (bt blas64.General, err error) {
	f, ok := factor(a, nil)
	for ridge := 1e-14 * largestDiagonal(a); !ok; ridge *= 10 {
		if !(ridge > 0 && ridge < largestDiagonal(a)) {
			return bt, errors.New("the squares of the codes overflow: scale X")
		}
		shift := make([]float64, a.Rows)
		for j := range shift {
			shift[j] = ridge
		}
		f, ok = factor(a, shift)
	}
	bt = clone(ct)
	lapack64.Potrs(f, bt)
	return bt, nil
}

// factor returns the Cholesky factor of A + diag(shift); shift may be nil. ok reports whether this sum is positive
// definite and so well conditioned that solutions have a few accurate digits. The condition is judged by the smallest
// squared diagonal element of the factor, relative to the largest diagonal element of the sum.
func factor(a blas64.General, shift []float64) (f blas64.Triangular, ok bool) {
	n := a.Rows
	s := blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: make([]float64, n*n)}
	for i := range n {
		copy(s.Data[i*n:(i+1)*n], row(a, i))
		if shift != nil {
			s.Data[i*n+i] += shift[i]
		}
	}
	top := largestDiagonal(blas64.General{Rows: n, Cols: n, Stride: n, Data: s.Data})
	if f, ok = lapack64.Potrf(s); !ok {
		return f, false
	}
	for i := range n {
		if p := f.Data[i*n+i]; !(p*p > 1e-15*top) {
			return f, false
		}
	}
	return f, true
}

func largestDiagonal(a blas64.General) float64 {
	var t float64
	for j := range a.Rows {
		t = max(t, a.Data[j*a.Stride+j])
	}
	return t
}

// clone copies a, without gaps between rows.
func clone(a blas64.General) blas64.General {
	c := blas64.General{Rows: a.Rows, Cols: a.Cols, Stride: a.Cols, Data: make([]float64, a.Rows*a.Cols)}
	for i := range a.Rows {
		copy(row(c, i), row(a, i))
	}
	return c
}
