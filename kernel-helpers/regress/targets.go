package regress

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/constant"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/size"
)

// Targets predicts several values of a point at once: ŷ = W'x + b.
type Targets struct {
	W         *mat.Dense // d×t, one target per column
	Intercept []float64  // b (t)
	Alpha     float64    // strength of the penalty used in training
}

// String returns a one-line summary.
func (m *Targets) String() string {
	d, t := size.Of(m.W)
	return fmt.Sprintf("%d targets of %d features each, with alpha %.4g", t, d, m.Alpha)
}

// Predict returns XW + 1b' (n×t) for the rows of X (n×d).
func (m *Targets) Predict(X mat.Matrix) *mat.Dense {
	if m.W == nil || m.W.IsEmpty() {
		panic("regress: Predict: the model is not trained")
	}
	mustNotBeNil("Predict", X)
	n, _ := X.Dims()
	P := mat.NewDense(max(n, 1), len(m.Intercept), nil)
	for t := range m.Intercept {
		P.SetCol(t, m.Target(t).Predict(X))
	}
	return P
}

// Target returns the model of target t alone.
func (m *Targets) Target(t int) *Linear {
	if t < 0 || t >= len(m.Intercept) {
		panic(fmt.Sprintf("regress: Target: target %d of %d", t, len(m.Intercept)))
	}
	return &Linear{W: mat.Col(nil, t, m.W), Intercept: m.Intercept[t], Alpha: m.Alpha}
}

// RidgeOptions are the options of FitRidgeTargets. The zero value is ready to use.
type RidgeOptions struct {
	// SampleWeights (n) are the weights s_i of the points. A point of weight 2 is like two points. nil means 1.
	SampleWeights []float64
}

// FitRidgeTargets fits W (d×t) and b (t) to the rows of X (n×d) with values Y (n×t) at the minimum of
//
//	½ Σ_i s_i ‖y_i − W'x_i − b‖² + (α/2) ‖W‖_F²
//
// with s_i = 1 unless points have weights. Each target has the model that FitRidge finds for that target, and all
// targets share one factor. If α is 0 and the solution is not unique, FitRidgeTargets returns an error, as FitRidge
// does; FitLeastSquares returns the smallest solution. opt may be nil.
func FitRidgeTargets(ctx context.Context, X, Y mat.Matrix, alpha float64, opt *RidgeOptions) (*Targets, error) {
	var o RidgeOptions
	if opt != nil {
		o = *opt
	}
	const fn = "FitRidgeTargets"
	D, y, s, err := targetData(fn, X, Y, o.SampleWeights)
	if err != nil {
		return nil, err
	}
	if !(alpha >= 0) || math.IsInf(alpha, 0) {
		return nil, fmt.Errorf("regress: %s: alpha is %v, must be finite and not negative", fn, alpha)
	}
	models, err := factorAndSolve(ctx, fn, D, y, s, alpha)
	if err != nil {
		return nil, err
	}
	_, d := D.Dims()
	m := &Targets{W: mat.NewDense(d, len(y), nil), Alpha: alpha}
	for t, l := range models {
		m.W.SetCol(t, l.W)
		m.Intercept = append(m.Intercept, l.Intercept)
	}
	return m, nil
}

// targetData checks the training data. For the points whose weight is not 0, it returns X, the values of each target,
// and the weights.
func targetData(fn string, X, Y mat.Matrix, s []float64) (mat.Matrix, [][]float64, []float64, error) {
	mustNotBeNil(fn, X)
	if D, dense := Y.(*mat.Dense); Y == nil || dense && D == nil {
		panic(fmt.Sprintf("regress: %s: Y is nil", fn))
	}
	D, err := matrix(X)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("regress: %s: %w", fn, err)
	}
	T, err := finite.Dense("Y", Y)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("regress: %s: %w", fn, err)
	}
	n, d := D.Dims()
	m, targets := T.Dims()
	if n != m {
		panic(fmt.Sprintf("regress: %s: X is %d×%d and Y is %d×%d, a point per ROW", fn, n, d, m, targets))
	}
	y := make([][]float64, targets)
	for t := range y {
		y[t] = mat.Col(nil, t, T)
	}
	return weigh(fn, D, y, s)
}

// LeastSquaresOptions are the options of FitLeastSquares. The zero value is ready to use.
type LeastSquaresOptions struct {
	// Tolerance is the share of the largest singular value of X̃ below which a singular value counts as 0. 0 means
	// max(n, d)·2⁻⁵², as in numpy.
	Tolerance float64
	// NoIntercept sets b to 0, and X and Y are not centered.
	NoIntercept bool
	// SampleWeights (n) are the weights s_i of the points. A point of weight 2 is like two points. nil means 1.
	SampleWeights []float64
}

// A LeastSquares is a solution of a least squares problem.
type LeastSquares struct {
	Targets
	// Rank is the number of singular values that do not count as 0.
	Rank int
	// Singular holds the singular values of X̃ (of S^½X̃, if points have weights) in descending order. There are min(n,
	// d) of them, where n is the number of points whose weight is not 0.
	Singular []float64
}

// String returns a one-line summary.
func (m *LeastSquares) String() string {
	d, t := size.Of(m.W)
	return fmt.Sprintf("least squares of %d targets of %d features each: rank %d", t, d, m.Rank)
}

// FitLeastSquares minimizes
//
//	½ Σ_i s_i ‖y_i − W'x_i − b‖²
//
// over W (d×t) and b (t), for the rows of X (n×d) with values Y (n×t). If several W and b reach the minimum, because
// there are more features than points or because features depend on each other, it returns those with the smallest
// ‖W‖_F, which are unique. W is VΣ⁺U'Ỹ, where X̃ = UΣV' is the singular value decomposition of the centered X. A sparse
// X becomes dense. The smallest W depends on the units of the features. opt may be nil.
func FitLeastSquares(ctx context.Context, X, Y mat.Matrix, opt *LeastSquaresOptions) (*LeastSquares, error) {
	var o LeastSquaresOptions
	if opt != nil {
		o = *opt
	}
	const fn = "FitLeastSquares"
	F, y, s, err := targetData(fn, X, Y, o.SampleWeights)
	if err != nil {
		return nil, err
	}
	if !(o.Tolerance >= 0 && o.Tolerance < 1) {
		return nil, fmt.Errorf("regress: %s: Tolerance is %v, must be 0 or more and less than 1", fn, o.Tolerance)
	}
	n, d := F.Dims()
	if o.Tolerance == 0 {
		o.Tolerance = float64(max(n, d)) * 0x1p-52
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("regress: %s: %w", fn, ctx.Err())
	}
	if err := ram.Check(fmt.Sprintf("the singular vectors of %d points and %d features", n, d), 32*float64(n)*float64(d)); err != nil {
		return nil, fmt.Errorf("regress: %s: %w", fn, err)
	}
	mx, u := make([]float64, d), roots(s)
	A := mat.DenseCopyOf(F)
	if !o.NoIntercept {
		for range 2 { // the second pass removes what the rounding of the first has left
			m := means(A, s)
			for i := range n {
				floats.Sub(A.RawRowView(i), m)
			}
			floats.Add(mx, m)
		}
		for j, same := range constant.Columns(F) {
			if same { // otherwise the rounding error of the mean would count as a feature
				A.SetCol(j, make([]float64, n))
			}
		}
	}
	if u != nil {
		A = timesRows(A, u).(*mat.Dense)
	}
	B, my := mat.NewDense(n, len(y), nil), make([]float64, len(y))
	for t, v := range y {
		if !o.NoIntercept {
			my[t] = mean(v, s)
		}
		for i, v := range v {
			if v -= my[t]; u != nil {
				v *= u[i]
			}
			B.Set(i, t, v)
		}
	}
	m := &LeastSquares{Targets: Targets{W: mat.NewDense(d, len(y), nil), Intercept: my}, Singular: make([]float64, min(n, d))}
	var svd mat.SVD
	switch size := mat.Norm(A, 1); {
	case math.IsInf(size, 0) || math.IsNaN(size):
		return nil, fmt.Errorf("regress: %s: the sums of X overflow: scale the features", fn)
	case size > 0:
		found := false
		err := parallel.Await(ctx, 10*float64(n)*float64(d)*float64(min(n, d)), func() { found = svd.Factorize(A, mat.SVDThin) })
		if err != nil {
			return nil, fmt.Errorf("regress: %s: %w", fn, err)
		}
		if !found {
			return nil, fmt.Errorf("regress: %s: the singular values do not converge: scale the features", fn)
		}
		svd.Values(m.Singular)
		for _, v := range m.Singular {
			if v > o.Tolerance*m.Singular[0] {
				m.Rank++
			}
		}
	}
	if m.Rank == 0 {
		return m, nil
	}
	var U, V, P mat.Dense
	svd.UTo(&U)
	svd.VTo(&V)
	P.Mul(U.Slice(0, n, 0, m.Rank).T(), B) // r×t
	P.Apply(func(i, _ int, v float64) float64 { return v / m.Singular[i] }, &P)
	m.W.Mul(V.Slice(0, d, 0, m.Rank), &P)
	for t := range my {
		for j, c := range mx {
			my[t] -= c * m.W.At(j, t)
		}
	}
	return m, nil
}
