package regress

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/symeig"
)

// FitRidge fits w and b to the rows of X (n×d) with values y (n) at the minimum
// of
//
//	½ Σ_i (y_i − w'x_i − b)² + (α/2) ‖w‖²
//
// (scikit-learn's Ridge). b is not penalized, so the minimum is that for the centered X̃ and ỹ, in closed
// form by a Cholesky factor:
//
//	w = (X̃'X̃ + αI)⁻¹ X̃'ỹ       d×d, if n >= d
//	w = X̃'(X̃X̃' + αI)⁻¹ ỹ       n×n, if n < d
//
// A sparse X becomes such a dense matrix, of min(n, d)² numbers, and its factors: 32 min(n, d)² bytes.
//
// α = 0 is least squares; FitRidge then returns an error if the solution is not unique.
func FitRidge(ctx context.Context, X mat.Matrix, y []float64, alpha float64) (*Linear, error) {
	D, err := data("FitRidge", X, y)
	if err != nil {
		return nil, err
	}
	if !(alpha >= 0) || math.IsInf(alpha, 0) {
		return nil, fmt.Errorf("regress: FitRidge: alpha is %v, must be finite and not negative", alpha)
	}
	if ctx != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("regress: FitRidge: %w", ctx.Err())
	}
	if err := gramFits(D); err != nil {
		return nil, fmt.Errorf("regress: FitRidge: %w", err)
	}
	c := newCenteredData(D, y)
	G := c.gram()
	if err := inRange("FitRidge", G); err != nil {
		return nil, err
	}
	m, err := c.solveFactored(G, alpha)
	if err != nil {
		return nil, fmt.Errorf("regress: FitRidge: %w", err)
	}
	return m, nil
}

// gramFits returns an error if the smaller Gram matrix of a sparse X and its factors would take too much memory.
// That of a dense X is no larger than X.
func gramFits(X mat.Matrix) error {
	if _, sparse := X.(*csr.Matrix); !sparse {
		return nil
	}
	n, d := X.Dims()
	m := float64(min(n, d))
	return ram.Check(fmt.Sprintf("the Gram matrix of %d points and %d features, and its factors,", n, d), 32*m*m)
}

// inRange returns an error if sums of squares overflow.
func inRange(fn string, G *mat.SymDense) error {
	for i := range G.SymmetricDim() {
		if !(G.At(i, i) <= 1e300) {
			return fmt.Errorf("regress: %s: the squares of X overflow: scale the features", fn)
		}
	}
	return nil
}

// solveFactored solves for one α by a Cholesky factor of G + αI, with G from gram.
func (c *centeredData) solveFactored(G *mat.SymDense, alpha float64) (*Linear, error) {
	m := G.SymmetricDim()
	H := mat.NewSymDense(m, nil)
	H.CopySym(G)
	for i := range m {
		H.SetSym(i, i, G.At(i, i)+alpha)
	}
	var chol mat.Cholesky
	if !chol.Factorize(H) || chol.Cond() > 1e15 {
		return nil, fmt.Errorf("no unique solution with alpha %g for %d points and %d features", alpha, c.n, c.d)
	}
	var w mat.VecDense
	if c.isDual() {
		var a mat.VecDense
		if err := chol.SolveVecTo(&a, c.y); err != nil {
			return nil, err
		}
		w.CloneFromVec(c.transposedTimes(&a).ColView(0))
	} else {
		b := c.transposedTimes(c.y).ColView(0)
		if err := chol.SolveVecTo(&w, b); err != nil {
			return nil, err
		}
	}
	return c.model(w.RawVector().Data, alpha), nil
}

// manyUnknowns is the number of unknowns above which a Cholesky factor for each α of a path is faster than
// one spectral decomposition, which takes about forty times as long as one factor.
const manyUnknowns = 500

// FitRidgePath does what FitRidge does for each α in alphas (all positive, in any order). It uses one
// spectral decomposition UΛU' of the smaller of X̃'X̃ and X̃X̃':
//
//	w(α) = U (Λ + α)⁻¹ U' X̃'ỹ   or   X̃' U (Λ + α)⁻¹ U' ỹ,
//
// If that matrix has more than a few hundred rows, FitRidgePath computes a Cholesky factor for each α instead.
func FitRidgePath(ctx context.Context, X mat.Matrix, y []float64, alphas []float64) ([]*Linear, error) {
	D, err := data("FitRidgePath", X, y)
	if err != nil {
		return nil, err
	}
	if err := checkAlphas("FitRidgePath", alphas); err != nil {
		return nil, err
	}
	if len(alphas) == 0 {
		return nil, fmt.Errorf("regress: FitRidgePath: no alphas")
	}
	if ctx != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("regress: FitRidgePath: %w", ctx.Err())
	}
	if err := gramFits(D); err != nil {
		return nil, fmt.Errorf("regress: FitRidgePath: %w", err)
	}
	c := newCenteredData(D, y)
	G := c.gram()
	if err := inRange("FitRidgePath", G); err != nil {
		return nil, err
	}
	if G.SymmetricDim() > manyUnknowns && len(alphas) <= 40 {
		path := make([]*Linear, len(alphas))
		for k, a := range alphas {
			if path[k], err = c.solveFactored(G, a); err != nil {
				return nil, fmt.Errorf("regress: FitRidgePath: %w", err)
			}
		}
		return path, nil
	}
	values, Q, err := symeig.Decompose(G, G.SymmetricDim())
	if err != nil {
		return nil, fmt.Errorf("regress: FitRidgePath: %w", err)
	}
	b := c.y
	if !c.isDual() {
		b = mat.VecDenseCopyOf(c.transposedTimes(c.y).ColView(0))
	}
	var p mat.VecDense
	p.MulVec(Q.T(), b)
	m := p.Len()
	S := mat.NewDense(m, len(alphas), nil) // one column per α
	for i := range m {
		for k, a := range alphas {
			S.Set(i, k, p.AtVec(i)/(math.Max(0, values[i])+a))
		}
	}
	var W mat.Dense
	W.Mul(Q, S) // m×m times m×A
	if c.isDual() {
		W = *c.transposedTimes(&W) // d×n times n×A
	}
	path := make([]*Linear, len(alphas))
	for k, a := range alphas {
		path[k] = c.model(mat.Col(nil, k, &W), a)
	}
	return path, nil
}

// centeredData holds the data minus their means.
type centeredData struct {
	X    *mat.Dense  // X̃, n×d; nil for sparse data
	S    *csr.Matrix // sparse data: X, not centered
	y    *mat.VecDense
	mx   []float64
	my   float64
	n, d int
}

func newCenteredData(X mat.Matrix, y []float64) *centeredData {
	n, d := X.Dims()
	c := &centeredData{y: mat.NewVecDense(n, nil), n: n, d: d}
	c.mx, c.my = means(X, y)
	for i := range n {
		c.y.SetVec(i, y[i]-c.my)
	}
	if S, ok := X.(*csr.Matrix); ok {
		c.S = S
		return c
	}
	c.X = mat.NewDense(n, d, nil)
	for i := range n {
		floats.SubTo(c.X.RawRowView(i), X.(*mat.Dense).RawRowView(i), c.mx)
	}
	return c
}

// transposedTimes returns X̃'A for A n×k. The means of A's columns do not matter, because X̃'1 = 0.
func (c *centeredData) transposedTimes(A mat.Matrix) *mat.Dense {
	if v, ok := A.(*mat.VecDense); ok && c.S == nil {
		var p mat.VecDense
		p.MulVec(c.X.T(), v)
		return mat.NewDense(c.d, 1, p.RawVector().Data)
	}
	if c.S == nil {
		var P mat.Dense
		P.Mul(c.X.T(), A) // d×n times n×k
		return &P
	}
	D := mat.DenseCopyOf(A)
	n, k := D.Dims()
	for q := range k {
		mean := mat.Sum(D.ColView(q)) / float64(n)
		for i := range n {
			D.Set(i, q, D.At(i, q)-mean)
		}
	}
	return c.S.MulT(D)
}

func (c *centeredData) isDual() bool { return c.n < c.d }

// gram returns the smaller of X̃'X̃ (d×d) and X̃X̃' (n×n).
func (c *centeredData) gram() *mat.SymDense {
	var G mat.SymDense
	if c.S != nil {
		return c.sparseGram()
	}
	if c.isDual() {
		G.SymOuterK(1, c.X)
	} else {
		G.SymOuterK(1, c.X.T())
	}
	return &G
}

// sparseGram is like gram, for sparse data, by products of the nonzeros: X'X − n mm', or XX' centered on both
// sides.
func (c *centeredData) sparseGram() *mat.SymDense {
	A := c.S // one row of A for each row of G
	if !c.isDual() {
		A = c.S.Transpose()
	}
	m, _ := A.Dims()
	B := A.Transpose()
	G := mat.NewSymDense(m, nil)
	row := make([]float64, m)
	for i := range m {
		clear(row)
		col, val := A.View(i)
		for p, j := range col {
			other, v := B.View(int(j))
			for q, k := range other {
				row[k] += val[p] * v[q]
			}
		}
		for k := i; k < m; k++ {
			G.SetSym(i, k, row[k])
		}
	}
	if !c.isDual() {
		for i := range m {
			for k := i; k < m; k++ {
				G.SetSym(i, k, G.At(i, k)-float64(c.n)*c.mx[i]*c.mx[k])
			}
		}
		return G
	}
	mean, all := make([]float64, m), 0.0
	for i := range m {
		for k := range m {
			mean[i] += G.At(i, k) / float64(m)
		}
		all += mean[i] / float64(m)
	}
	for i := range m {
		for k := i; k < m; k++ {
			G.SetSym(i, k, G.At(i, k)-mean[i]-mean[k]+all)
		}
	}
	return G
}

func (c *centeredData) model(w []float64, alpha float64) *Linear {
	return &Linear{W: w, Intercept: c.my - floats.Dot(c.mx, w), Alpha: alpha}
}
