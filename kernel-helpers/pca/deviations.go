package pca

import (
	"context"
	"fmt"
	"math"

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
