package regress

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/symeig"
)

// TrainRidge fits w and b to the rows of X (n×d) with values y (n) at the minimum
// of
//
//	½ Σ_i (y_i − w'x_i − b)² + (α/2) ‖w‖²
//
// (scikit-learn's Ridge). b is not penalised, so the minimum is that of the
// centred X̃, ỹ, in closed form by a Cholesky factor:
//
//	w = (X̃'X̃ + αI)⁻¹ X̃'ỹ       d×d, if n >= d
//	w = X̃'(X̃X̃' + αI)⁻¹ ỹ       n×n, if n < d
//
// α = 0 is least squares. TrainRidge returns an error if that has no unique solution.
func TrainRidge(X mat.Matrix, y []float64, alpha float64) (*Linear, error) {
	D, err := data("TrainRidge", X, y)
	if err != nil {
		return nil, err
	}
	if !(alpha >= 0) || math.IsInf(alpha, 0) {
		return nil, fmt.Errorf("regress: TrainRidge: alpha is %v, must be finite and not negative", alpha)
	}
	c := newCentred(D, y)
	return c.factorised(c.gram(), alpha)
}

// factorised solves for one α with the Cholesky factor of G + αI, G from gram.
func (c *centred) factorised(G *mat.SymDense, alpha float64) (*Linear, error) {
	m := G.SymmetricDim()
	H := mat.NewSymDense(m, nil)
	H.CopySym(G)
	for i := range m {
		H.SetSym(i, i, G.At(i, i)+alpha)
	}
	var chol mat.Cholesky
	if !chol.Factorize(H) || chol.Cond() > 1e15 {
		return nil, fmt.Errorf("regress: ridge regression: no unique solution with alpha %g for %d points and %d features", alpha, c.n, c.d)
	}
	var w mat.VecDense
	if c.dual() {
		var a mat.VecDense
		if err := chol.SolveVecTo(&a, c.y); err != nil {
			return nil, fmt.Errorf("regress: ridge regression: %w", err)
		}
		w.MulVec(c.X.T(), &a)
	} else {
		var b mat.VecDense
		b.MulVec(c.X.T(), c.y)
		if err := chol.SolveVecTo(&w, &b); err != nil {
			return nil, fmt.Errorf("regress: ridge regression: %w", err)
		}
	}
	return c.model(w.RawVector().Data, alpha), nil
}

// manyUnknowns is from where on a Cholesky factor for each α of a path is faster
// than one spectral decomposition, which takes some forty times as long as one.
const manyUnknowns = 500

// RidgePath does what TrainRidge does for each of alphas (all positive, in any order),
// from one spectral decomposition UΛU' of the smaller of X̃'X̃ and X̃X̃':
//
//	w(α) = U (Λ + α)⁻¹ U' X̃'ỹ   or   X̃' U (Λ + α)⁻¹ U' ỹ,
//
// or, if that has more than a few hundred rows, from a Cholesky factor for each α.
func RidgePath(X mat.Matrix, y []float64, alphas []float64) ([]*Linear, error) {
	D, err := data("RidgePath", X, y)
	if err != nil {
		return nil, err
	}
	if err := checkAlphas("RidgePath", alphas); err != nil {
		return nil, err
	}
	if len(alphas) == 0 {
		return nil, fmt.Errorf("regress: RidgePath: no alphas")
	}
	c := newCentred(D, y)
	G := c.gram()
	if G.SymmetricDim() > manyUnknowns && len(alphas) <= 40 {
		path := make([]*Linear, len(alphas))
		for k, a := range alphas {
			if path[k], err = c.factorised(G, a); err != nil {
				return nil, err
			}
		}
		return path, nil
	}
	values, Q, err := symeig.Decompose(G, G.SymmetricDim())
	if err != nil {
		return nil, fmt.Errorf("regress: RidgePath: %w", err)
	}
	b := c.y
	if !c.dual() {
		b = mat.NewVecDense(c.d, nil)
		b.MulVec(c.X.T(), c.y)
	}
	var p mat.VecDense
	p.MulVec(Q.T(), b)
	m := p.Len()
	S := mat.NewDense(m, len(alphas), nil) // a column per α
	for i := range m {
		for k, a := range alphas {
			S.Set(i, k, p.AtVec(i)/(math.Max(0, values[i])+a))
		}
	}
	var W, V mat.Dense
	W.Mul(Q, S) // m×m times m×A
	if c.dual() {
		V.Mul(c.X.T(), &W) // d×n times n×A
		W = V
	}
	path := make([]*Linear, len(alphas))
	for k, a := range alphas {
		path[k] = c.model(mat.Col(nil, k, &W), a)
	}
	return path, nil
}

// centred is the data less their means.
type centred struct {
	X    *mat.Dense // X̃, n×d
	y    *mat.VecDense
	mx   []float64
	my   float64
	n, d int
}

func newCentred(X *mat.Dense, y []float64) *centred {
	n, d := X.Dims()
	c := &centred{X: mat.NewDense(n, d, nil), y: mat.NewVecDense(n, nil), n: n, d: d}
	c.mx, c.my = means(X, y)
	for i := range n {
		floats.SubTo(c.X.RawRowView(i), X.RawRowView(i), c.mx)
		c.y.SetVec(i, y[i]-c.my)
	}
	return c
}

func (c *centred) dual() bool { return c.n < c.d }

// gram is the smaller of X̃'X̃ (d×d) and X̃X̃' (n×n).
func (c *centred) gram() *mat.SymDense {
	var G mat.SymDense
	if c.dual() {
		G.SymOuterK(1, c.X)
	} else {
		G.SymOuterK(1, c.X.T())
	}
	return &G
}

func (c *centred) model(w []float64, alpha float64) *Linear {
	return &Linear{W: w, Intercept: c.my - floats.Dot(c.mx, w), Alpha: alpha}
}
