package regress

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/constant"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/symeig"
)

// FitRidge fits w and b to the rows of X (n×d) with values y (n) at the minimum of
//
//	½ Σ_i (y_i − w'x_i − b)² + (α/2) ‖w‖²
//
// (scikit-learn's Ridge). b is not penalized, so w is the minimizer for the centered X̃ and ỹ without b. It has a
// closed form, which FitRidge computes with a Cholesky factor:
//
//	w = (X̃'X̃ + αI)⁻¹ X̃'ỹ       d×d, if n >= d
//	w = X̃'(X̃X̃' + αI)⁻¹ ỹ       n×n, if n < d
//
// Even if X is sparse, the smaller of these matrices is dense. With its factors it takes 32 min(n, d)² bytes.
//
// α = 0 is least squares; FitRidge then returns an error if the solution is not unique, and FitLeastSquares returns
// the smallest solution. FitRidgeTargets takes several targets, and weights of points.
//
// If the matrix to be inverted is nearly singular, FitRidge computes this matrix and its factor again with twice as
// many digits, which takes tens of times as long. So even if columns have very different sizes or nearly depend on
// each other, w has all digits that X and y determine.
func FitRidge(ctx context.Context, X mat.Matrix, y []float64, alpha float64) (*Linear, error) {
	D, err := data("FitRidge", X, y)
	if err != nil {
		return nil, err
	}
	if !(alpha >= 0) || math.IsInf(alpha, 0) {
		return nil, fmt.Errorf("regress: FitRidge: alpha is %v, must be finite and not negative", alpha)
	}
	m, err := factorAndSolve(ctx, "FitRidge", D, [][]float64{y}, nil, alpha)
	if err != nil {
		return nil, err
	}
	return m[0], nil
}

// factorAndSolve returns a ridge model for each target t, whose values are y[t]. s holds the weights of the points. If
// s is nil, all weights are 1.
func factorAndSolve(ctx context.Context, fn string, D mat.Matrix, y [][]float64, s []float64, alpha float64) ([]*Linear, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("regress: %s: %w", fn, ctx.Err())
	}
	if err := gramFits(D); err != nil {
		return nil, fmt.Errorf("regress: %s: %w", fn, err)
	}
	c := newCenteredData(D, y, s)
	G, err := c.gram(ctx)
	if err != nil {
		return nil, fmt.Errorf("regress: %s: %w", fn, err)
	}
	if err := inRange(fn, G); err != nil {
		return nil, err
	}
	m, err := c.solveFactored(ctx, G, alpha)
	if err != nil {
		return nil, fmt.Errorf("regress: %s: %w", fn, err)
	}
	return m, nil
}

// gramFits returns an error if the smaller Gram matrix of a sparse X, with its factors, would take too much memory. A
// dense X is not checked, because its smaller Gram matrix is no larger than X.
func gramFits(X mat.Matrix) error {
	if _, sparse := X.(*csr.Matrix); !sparse {
		return nil
	}
	n, d := X.Dims()
	m := float64(min(n, d))
	return ram.Check(fmt.Sprintf("the Gram matrix of %d points and %d features, and its factors,", n, d), 32*m*m)
}

// inRange returns an error if a sum of squares overflows, that is, if an element of the diagonal of the Gram matrix G
// is too large.
func inRange(fn string, G *mat.SymDense) error {
	for i := range G.SymmetricDim() {
		if !(G.At(i, i) <= 1e300) {
			return fmt.Errorf("regress: %s: the squares of X overflow: scale the features", fn)
		}
	}
	return nil
}

// illConditioned is the condition number above which float64 may leave fewer than seven digits.
const illConditioned = 1e9

// solveFactored returns a model for each target, for one α. It uses a Cholesky factor of G + αI, where G comes from
// gram. If G + αI is ill-conditioned, it calls solveExactly.
func (c *centeredData) solveFactored(ctx context.Context, G *mat.SymDense, alpha float64) ([]*Linear, error) {
	m := G.SymmetricDim()
	diagonal, unit := make([]float64, m), make([]float64, m)
	lost := 1.0
	for i := range m {
		diagonal[i] = G.At(i, i) + alpha
		switch before := c.before[i] + alpha; {
		case diagonal[i] > 1e-290:
			unit[i] = rootUnit(diagonal[i])
			lost = math.Max(lost, before/diagonal[i])
		case before > 1e-290: // subtracting the mean has left no digit
			return c.solveExactly(ctx, alpha)
		default:
			return nil, c.notUnique(alpha)
		}
	}
	// The matrix to factor, H, is D(G + αI)D, where D holds powers of two that make the diagonal about 1. D changes no
	// digit of the factor. But without D, the condition number would depend on the features' units.
	H := mat.NewSymDense(m, nil)
	for i := range m {
		for k := i; k < m; k++ {
			H.SetSym(i, k, G.At(i, k)*unit[i]*unit[k])
		}
		H.SetSym(i, i, diagonal[i]*unit[i]*unit[i])
	}
	var chol mat.Cholesky
	definite := false
	if err := parallel.Await(ctx, cube(m)/6, func() { definite = chol.Factorize(H) }); err != nil {
		return nil, err
	}
	if !definite || chol.Cond()*lost > illConditioned {
		return c.solveExactly(ctx, alpha)
	}
	models := make([]*Linear, len(c.targets))
	for t := range c.targets {
		var w mat.VecDense
		w.MulElemVec(c.right(t), mat.NewVecDense(m, unit))
		if err := chol.SolveVecTo(&w, &w); err != nil {
			return nil, err
		}
		w.MulElemVec(&w, mat.NewVecDense(m, unit))
		if c.isDual() {
			w.CloneFromVec(c.transposedTimes(c.timesRoot(&w)).ColView(0))
		}
		models[t] = c.model(w.RawVector().Data, t, alpha)
	}
	return models, nil
}

// right returns the right-hand side of the equations for target t: X̃'Sỹ, or S^½ỹ in the dual.
func (c *centeredData) right(t int) *mat.VecDense {
	y := c.timesRoot(c.targets[t].y)
	if c.isDual() {
		return y
	}
	return mat.VecDenseCopyOf(c.transposedTimes(c.timesRoot(y)).ColView(0))
}

// timesRoot returns S^½v.
func (c *centeredData) timesRoot(v *mat.VecDense) *mat.VecDense {
	if c.root == nil {
		return v
	}
	var p mat.VecDense
	p.MulElemVec(v, mat.NewVecDense(c.n, c.root))
	return &p
}

// solveExactly does what solveFactored does, with twice as many digits.
func (c *centeredData) solveExactly(ctx context.Context, alpha float64) (m []*Linear, err error) {
	if c.exact == nil {
		if c.exact, err = newExactData(ctx, c, c.isDual(), alpha); err != nil {
			return nil, err
		}
	}
	m, err = c.exact.solve(ctx, alpha)
	if err == errDependent && c.exact.dual && alpha > 0 && c.d <= manyUnknowns {
		// Try X̃'X̃, because X̃X̃' adds up columns of different sizes, and X̃'X̃ does not.
		if c.exact, err = newExactData(ctx, c, false, alpha); err != nil {
			return nil, err
		}
		m, err = c.exact.solve(ctx, alpha)
	}
	switch {
	case err != errDependent:
		return m, err
	case alpha == 0:
		return nil, c.notUnique(alpha)
	}
	return nil, fmt.Errorf("alpha %g is lost in the rounding of the features' squares: scale the features, or raise alpha", alpha)
}

func (c *centeredData) notUnique(alpha float64) error {
	return fmt.Errorf("no unique solution with alpha %g for %d points and %d features", alpha, c.n, c.d)
}

// manyUnknowns is the number of unknowns above which a Cholesky factor for each α of a path is faster than
// one spectral decomposition, which takes about forty times as long as one factor.
const manyUnknowns = 500

// FitRidgePath does what FitRidge does for each α in alphas (all positive, in any order). It uses one spectral
// decomposition UΛU' of the smaller of X̃'X̃ and X̃X̃':
//
//	w(α) = U (Λ + α)⁻¹ U' X̃'ỹ   or   X̃' U (Λ + α)⁻¹ U' ỹ
//
// If the smaller matrix is nearly singular, or if it has more than 500 rows and there are at most 40 alphas,
// FitRidgePath computes a Cholesky factor for each α instead, as FitRidge does.
func FitRidgePath(ctx context.Context, X mat.Matrix, y []float64, alphas []float64) ([]*Linear, error) {
	return ridgePath(ctx, X, y, nil, alphas)
}

// ridgePath does what FitRidgePath does, where s holds the weights of the points. If s is nil, all weights are 1.
func ridgePath(ctx context.Context, X mat.Matrix, y, s []float64, alphas []float64) ([]*Linear, error) {
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
	D, ys, s, err := weigh("FitRidgePath", D, [][]float64{y}, s)
	if err != nil {
		return nil, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("regress: FitRidgePath: %w", ctx.Err())
	}
	if err := gramFits(D); err != nil {
		return nil, fmt.Errorf("regress: FitRidgePath: %w", err)
	}
	c := newCenteredData(D, ys, s)
	G, err := c.gram(ctx)
	if err != nil {
		return nil, fmt.Errorf("regress: FitRidgePath: %w", err)
	}
	if err := inRange("FitRidgePath", G); err != nil {
		return nil, err
	}
	factored := func() ([]*Linear, error) {
		path := make([]*Linear, len(alphas))
		for k, a := range alphas {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("regress: FitRidgePath: %w", err)
			}
			m, err := c.solveFactored(ctx, G, a)
			if err != nil {
				return nil, fmt.Errorf("regress: FitRidgePath: %w", err)
			}
			path[k] = m[0]
		}
		return path, nil
	}
	if G.SymmetricDim() > manyUnknowns && len(alphas) <= 40 {
		return factored()
	}
	var values []float64
	var Q *mat.Dense
	var failure error
	err = parallel.Await(ctx, 10*cube(G.SymmetricDim()), func() {
		values, Q, failure = symeig.Decompose(G, G.SymmetricDim())
	})
	if err == nil {
		err = failure
	}
	if err != nil {
		return nil, fmt.Errorf("regress: FitRidgePath: %w", err)
	}
	// All eigenvalues are off by about the rounding error of the largest. The smallest must exceed this error.
	least := math.Max(0, values[len(values)-1]) + slices.Min(alphas)
	if math.Max(values[0], slices.Max(c.before)) > illConditioned*least {
		return factored()
	}
	var p mat.VecDense
	p.MulVec(Q.T(), c.right(0))
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
		if c.root != nil {
			W.Mul(mat.NewDiagDense(c.n, c.root), &W)
		}
		W = *c.transposedTimes(&W) // d×n times n×A
	}
	path := make([]*Linear, len(alphas))
	for k, a := range alphas {
		path[k] = c.model(mat.Col(nil, k, &W), 0, a)
	}
	return path, nil
}

// centeredData holds the data of a ridge problem: X and the targets, minus their means. A sparse X is not centered;
// the formulas subtract the means instead. With weights s, and with S = diag(s) in the formulas (not the field S), w
// is
//
//	w = (X̃'SX̃ + αI)⁻¹ X̃'Sỹ   or   w = X̃'S^½(S^½X̃X̃'S^½ + αI)⁻¹ S^½ỹ
//
// The second form is the dual, which is used if there are fewer points than features.
type centeredData struct {
	X       *mat.Dense  // X̃, n×d; nil for sparse data
	S       *csr.Matrix // sparse data: X, not centered
	targets []target
	// The means are mx + rest. rest is what rounding left out of mx; for sparse data it is nil.
	mx, rest []float64
	s, root  []float64 // weights and their square roots; nil means 1
	total    float64   // the sum of the weights
	n, d     int

	raw      mat.Matrix
	constant []bool     // whether each column is constant
	before   []float64  // sparse data: the diagonal of the Gram matrix before the means are subtracted; otherwise 0
	exact    *exactData // nil until needed
}

// A target holds the values of one quantity to be predicted.
type target struct {
	raw  []float64
	mean float64
	y    *mat.VecDense // ỹ
}

func newCenteredData(X mat.Matrix, y [][]float64, s []float64) *centeredData {
	n, d := X.Dims()
	c := &centeredData{n: n, d: d, raw: X, s: s, root: roots(s), total: total(n, s), constant: constant.Columns(X)}
	c.before = make([]float64, min(n, d))
	c.mx = means(X, s)
	for _, raw := range y {
		t := target{raw, mean(raw, s), mat.NewVecDense(n, nil)}
		for i, v := range raw {
			t.y.SetVec(i, v-t.mean)
		}
		c.targets = append(c.targets, t)
	}
	if S, ok := X.(*csr.Matrix); ok {
		c.S = S
		return c
	}
	c.X = mat.NewDense(n, d, nil)
	for i := range n {
		floats.SubTo(c.X.RawRowView(i), X.(*mat.Dense).RawRowView(i), c.mx)
	}
	for j, same := range c.constant {
		if same { // otherwise the rounding error of the mean would count as a feature
			c.X.SetCol(j, make([]float64, n))
		}
	}
	c.rest = means(c.X, s)
	for i := range n {
		floats.Sub(c.X.RawRowView(i), c.rest)
	}
	return c
}

// transposedTimes returns X̃'A for an n×k matrix A. For a sparse X, it adds multiples of s to the columns of A so that
// each column sums to 0, and multiplies X' by the result. That is right because X̃'s = 0, and because X̃'a = X'a if a
// sums to 0.
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
		mean := mat.Sum(D.ColView(q)) / c.total
		for i := range n {
			if c.s != nil {
				D.Set(i, q, D.At(i, q)-c.s[i]*mean)
			} else {
				D.Set(i, q, D.At(i, q)-mean)
			}
		}
	}
	P := c.S.MulT(D)
	for j, same := range c.constant {
		if same {
			clear(P.RawRowView(j))
		}
	}
	return P
}

func (c *centeredData) isDual() bool { return c.n < c.d }

// cube returns m³. The number of multiplications of a decomposition is proportional to m³.
func cube(m int) float64 { return float64(m) * float64(m) * float64(m) }

// gram returns the smaller of X̃'SX̃ (d×d) and S^½X̃X̃'S^½ (n×n), or ctx's error when ctx is done.
func (c *centeredData) gram(ctx context.Context) (*mat.SymDense, error) {
	if c.S != nil {
		return c.sparseGram(ctx)
	}
	X := timesRows(c.X, c.root)
	var G mat.SymDense
	err := parallel.Await(ctx, float64(c.n)*float64(c.d)*float64(min(c.n, c.d))/2, func() {
		if c.isDual() {
			G.SymOuterK(1, X)
		} else {
			G.SymOuterK(1, X.T())
		}
	})
	return &G, err
}

// sparseGram does what gram does, for sparse data, and multiplies only nonzeros. It returns X'SX − c mm', where c is
// the sum of the weights and m holds the means of the columns. In the dual it returns P S^½XX'S^½ P, where P is the
// projection onto the space orthogonal to the vector of the square roots of the weights.
func (c *centeredData) sparseGram(ctx context.Context) (*mat.SymDense, error) {
	A := timesRows(c.S, c.root).(*csr.Matrix) // one row of A for each row of G
	if !c.isDual() {
		A = A.Transpose()
	}
	m, _ := A.Dims()
	B := A.Transpose()
	G := mat.NewSymDense(m, nil)
	row := make([]float64, m)
	for i := range m {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
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
	for i := range m {
		c.before[i] = G.At(i, i)
	}
	if !c.isDual() {
		for i := range m {
			if c.constant[i] {
				c.before[i] = 0
			}
			for k := i; k < m; k++ {
				if c.constant[i] || c.constant[k] {
					G.SetSym(i, k, 0)
				} else {
					G.SetSym(i, k, G.At(i, k)-c.total*c.mx[i]*c.mx[k])
				}
			}
		}
		return G, nil
	}
	u := func(i int) float64 { // the square root of point i's weight
		if c.root != nil {
			return c.root[i]
		}
		return 1
	}
	mean, all := make([]float64, m), 0.0
	for i := range m {
		for k := range m {
			mean[i] += G.At(i, k) * u(k) / c.total
		}
		all += mean[i] * u(i) / c.total
	}
	for i := range m {
		for k := i; k < m; k++ {
			G.SetSym(i, k, G.At(i, k)-mean[i]*u(k)-u(i)*mean[k]+u(i)*u(k)*all)
		}
	}
	return G, nil
}

// model returns the model of target t with the coefficients w.
func (c *centeredData) model(w []float64, t int, alpha float64) *Linear {
	b := c.targets[t].mean - floats.Dot(c.mx, w)
	if c.rest != nil {
		b -= floats.Dot(c.rest, w)
	}
	return &Linear{W: w, Intercept: b, Alpha: alpha}
}
