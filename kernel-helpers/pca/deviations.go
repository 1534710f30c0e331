package pca

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/csr"
)

// deviations is X̄ (n×d), points minus a mean. The interface is for algorithms that need only the norms of the rows of
// X̄, and products of X̄ with matrices of few columns.
type deviations interface {
	Dims() (n, d int)
	times(V *mat.Dense) *mat.Dense       // X̄V (n×k)
	timesTurned(V *mat.Dense) *mat.Dense // VᵀX̄ᵀ (k×n)
	timesT(Y *mat.Dense) *mat.Dense      // X̄ᵀY (d×k)
	cost() float64                       // multiplications for each column of a product
	// squares returns a function of q and i that returns q + ‖x̄_i/s‖², given inverse = 1/s.
	squares(inverse float64) func(q float64, i int) float64
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

// denseDeviations holds deviations as a dense matrix.
type denseDeviations struct{ *mat.Dense }

func (f denseDeviations) times(V *mat.Dense) *mat.Dense {
	var P mat.Dense
	P.Mul(f.Dense, V)
	return &P
}

func (f denseDeviations) timesTurned(V *mat.Dense) *mat.Dense {
	var P mat.Dense
	P.Mul(V.T(), f.Dense.T())
	return &P
}

func (f denseDeviations) timesT(Y *mat.Dense) *mat.Dense {
	var P mat.Dense
	P.Mul(f.Dense.T(), Y)
	return &P
}

func (f denseDeviations) cost() float64 {
	n, d := f.Dims()
	return float64(n) * float64(d)
}

func (f denseDeviations) squares(inverse float64) func(q float64, i int) float64 {
	return func(q float64, i int) float64 {
		for _, x := range f.RawRowView(i) {
			x *= inverse
			q += x * x
		}
		return q
	}
}

// sparseDeviations holds X̄ = S − 1mᵀ for a sparse S, as S and m, without forming X̄. T is Sᵀ.
type sparseDeviations struct {
	sparseOperator
	T *csr.Matrix
}

// newSparseDeviations returns (X − mean)/scale.
func newSparseDeviations(X *csr.Matrix, mean []float64, scale float64) sparseDeviations {
	s := newSparseOperator(X, mean, scale)
	return sparseDeviations{s, s.S.Transpose()}
}

func (a sparseDeviations) Dims() (n, d int) { return a.S.Dims() }

func (a sparseDeviations) times(V *mat.Dense) *mat.Dense {
	P := a.S.Mul(V)
	var off mat.VecDense // Vᵀm
	off.MulVec(V.T(), mat.NewVecDense(len(a.m), a.m))
	P.Apply(func(_, j int, p float64) float64 { return p - off.AtVec(j) }, P)
	return P
}

func (a sparseDeviations) timesTurned(V *mat.Dense) *mat.Dense {
	return mat.DenseCopyOf(a.times(V).T())
}

func (a sparseDeviations) timesT(Y *mat.Dense) *mat.Dense {
	P := a.T.Mul(Y)
	n, k := Y.Dims()
	sums := make([]float64, k) // 1ᵀY
	for i := range n {
		for j, y := range Y.RawRowView(i) {
			sums[j] += y
		}
	}
	P.Apply(func(i, j int, p float64) float64 { return p - a.m[i]*sums[j] }, P)
	return P
}

func (a sparseDeviations) squares(inverse float64) func(q float64, i int) float64 {
	norm := 0.0 // ‖m/s‖², of a row of zeros
	for _, m := range a.m {
		m *= inverse
		norm += m * m
	}
	return func(q float64, i int) float64 {
		s, rest := 0.0, norm
		col, val := a.S.View(i)
		for p, j := range col {
			m := a.m[j] * inverse
			x := val[p]*inverse - m
			s += x * x
			rest -= m * m
		}
		return q + s + math.Max(0, rest)
	}
}

// standardizeAny is like standardize, but does not form X̄ if X is sparse.
func standardizeAny(ctx context.Context, X mat.Matrix) (Y deviations, mean []float64, s float64, err error) {
	S, ok := X.(*csr.Matrix)
	if !ok {
		D, mean, s, err := standardize(ctx, finite.AsDense(X))
		return denseDeviations{D}, mean, s, err
	}
	n, d := S.Dims()
	mean, total, err := sparseMoments(S, false)
	if err != nil {
		return nil, nil, 0, err
	}
	if total == 0 {
		return nil, nil, 0, fmt.Errorf("the data have no variance")
	}
	s = math.Sqrt(total / float64(n) / float64(d))
	return newSparseDeviations(S, mean, s), mean, s, nil
}

// deviationsFrom returns the deviations of X from mean.
func deviationsFrom(ctx context.Context, X mat.Matrix, mean []float64) (deviations, error) {
	S, ok := X.(*csr.Matrix)
	if !ok {
		C, err := center(ctx, finite.AsDense(X), mean)
		return denseDeviations{C}, err
	}
	if i, j := S.Find(); i >= 0 {
		return nil, fmt.Errorf("X(%d, %d) is %v", i, j, S.At(i, j))
	}
	return newSparseDeviations(S, mean, 1), nil
}

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
