package pca

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
)

// sparseMoments is like moments, for a sparse X.
func sparseMoments(X *csr.Matrix, raw bool) (mean []float64, total float64, err error) {
	n, d := X.Dims()
	if i, j := X.Find(); i >= 0 {
		return nil, 0, fmt.Errorf("X(%d, %d) is %v", i, j, X.At(i, j))
	}
	mean, squares, most := X.Moments()
	if raw {
		clear(mean)
		_, _, values := X.Raw()
		clear(squares)
		most = 0
		for _, x := range values {
			squares[0] += x * x
			most = max(most, math.Abs(x))
		}
	}
	total = floats.Sum(squares)
	if math.IsInf(total, 0) || math.IsNaN(total) {
		return nil, 0, fmt.Errorf("the squares of X overflow: scale X")
	}
	if total < float64(n)*float64(d)*0x1p-1022 && most > 0 { // as in moments
		return nil, 0, fmt.Errorf("the squares of X underflow (it varies by no more than %.3g): scale X", most)
	}
	return mean, total, nil
}

// A sparseOperator represents X̄ = S − 1mᵀ, with S sparse, without forming it:
//
//	Z X̄ᵀ = Z Sᵀ − (Z m) 1ᵀ,   Y X̄ = Y S − (Y 1) mᵀ
type sparseOperator struct {
	S *csr.Matrix // n×d
	m []float64   // d
}

// newSparseOperator returns X̄ = (X − mean)/scale. If a column j of X has no zeros, S holds it already centered, and
// m_j = 0. Products with such a column lose no digits to cancellation, and a constant column becomes exactly 0.
func newSparseOperator(X *csr.Matrix, mean []float64, scale float64) sparseOperator {
	n, d := X.Dims()
	ptr, col, val := X.Raw()
	zeros := make([]int, d)
	for j := range zeros {
		zeros[j] = n
	}
	columns := make([]int, len(col))
	for p, j := range col {
		columns[p] = int(j)
		zeros[j]--
	}
	values, m := make([]float64, len(val)), make([]float64, d)
	for j, z := range zeros {
		if z > 0 {
			m[j] = mean[j] / scale
		}
	}
	for p, j := range col {
		values[p] = val[p]
		if zeros[j] == 0 {
			values[p] -= mean[j]
		}
		values[p] /= scale
	}
	S, err := csr.New(n, d, ptr, columns, values)
	if err != nil {
		panic(fmt.Sprintf("pca: %v", err)) // it has the structure of X
	}
	return sparseOperator{S, m}
}

func (s sparseOperator) timesT(Z, Y blas64.General) {
	P := s.S.Mul(transpose(Z)) // n×l
	m := blas64.Vector{N: len(s.m), Inc: 1, Data: s.m}
	for a := range Y.Rows {
		off := blas64.Dot(blas64.Vector{N: Z.Cols, Inc: 1, Data: Z.Data[a*Z.Stride:]}, m)
		for i := range Y.Cols {
			Y.Data[a*Y.Stride+i] = P.At(i, a) - off
		}
	}
}

func (s sparseOperator) cost() float64 { return float64(s.S.NNZ()) }

func (s sparseOperator) times(Y, Z blas64.General) {
	P := s.S.MulT(transpose(Y)) // d×l
	for a := range Z.Rows {
		sum := floats.Sum(Y.Data[a*Y.Stride:][:Y.Cols])
		for j, m := range s.m {
			Z.Data[a*Z.Stride+j] = P.At(j, a) - sum*m
		}
	}
}

// transpose returns the transpose of B, as a copy.
func transpose(B blas64.General) *mat.Dense {
	T := mat.NewDense(B.Cols, B.Rows, nil)
	for a := range B.Rows {
		T.SetCol(a, B.Data[a*B.Stride:][:B.Cols])
	}
	return T
}
