package regress

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/constant"
	"overcomplete/kernel-helpers/internal/subset"
)

// A Linear predicts ŷ = w'x + b.
type Linear struct {
	W         []float64 // d
	Intercept float64   // b
	Alpha     float64   // strength of the penalty used in training
}

// String returns a one-line summary.
func (m *Linear) String() string {
	return fmt.Sprintf("%d weights and intercept %.4g, with alpha %.4g", len(m.W), m.Intercept, m.Alpha)
}

// Predict returns Xw + b for the rows of X (n×d).
func (m *Linear) Predict(X mat.Matrix) []float64 {
	F, err := matrix(X)
	if err != nil {
		panic(fmt.Sprintf("regress: Predict: %v", err))
	}
	n, d := F.Dims()
	if d != len(m.W) {
		if n == len(m.W) {
			panic(fmt.Sprintf("regress: Predict: X is %d×%d, a point per ROW, the model has %d features: want %d×%d, is X transposed?", n, d, len(m.W), d, n))
		}
		panic(fmt.Sprintf("regress: Predict: X is %d×%d, the model has %d features", n, d, len(m.W)))
	}
	y := make([]float64, n)
	for i := range n {
		y[i] = m.point(F, i)
	}
	return y
}

// point returns the prediction for row i of X. X must come from the function matrix.
func (m *Linear) point(X mat.Matrix, i int) float64 {
	if D, ok := X.(*mat.Dense); ok {
		return floats.Dot(D.RawRowView(i), m.W) + m.Intercept
	}
	y := 0.0
	col, val := X.(*csr.Matrix).View(i)
	for p, j := range col {
		y += val[p] * m.W[j]
	}
	return y + m.Intercept
}

// PredictiveR2 returns the share of the variance of y that predictions account for,
//
//	pR² = 1 − Σ (y_i − ŷ_i)² / Σ (y_i − ȳ)²
//
// with ȳ the mean of y. With out-of-fold predictions, pR² is the measure of Bradley and Bagnell's table 6; it
// is negative for predictions worse than ȳ. It panics if the lengths differ or all y are equal.
func PredictiveR2(y, predicted []float64) float64 {
	if len(y) != len(predicted) || len(y) == 0 {
		panic(fmt.Sprintf("regress: PredictiveR2: %d values and %d predictions", len(y), len(predicted)))
	}
	if constant.Values(y) {
		panic("regress: PredictiveR2: all y are equal")
	}
	return weightedR2(y, predicted, nil)
}

// weightedR2 returns the predictive R², where s holds the weights of the points. If s is nil, all weights are 1.
func weightedR2(y, predicted, s []float64) float64 {
	m := floats.Sum(y) / float64(len(y))
	if s != nil {
		m = mean(y, s)
	}
	unit := finite.Unit(y)
	var rest, all float64
	for i, v := range y {
		w := 1.0
		if s != nil {
			w = s[i]
		}
		e, dev := unit*(v-predicted[i]), unit*(v-m)
		rest += w * e * e
		all += w * dev * dev
	}
	return 1 - rest/all
}

// mustNotBeNil panics if X is nil.
func mustNotBeNil(fn string, X mat.Matrix) {
	D, dense := X.(*mat.Dense)
	S, sparse := X.(*csr.Matrix)
	if X == nil || dense && D == nil || sparse && S == nil {
		panic(fmt.Sprintf("regress: %s: X is nil", fn))
	}
}

// matrix returns X itself if it is a *csr.Matrix, otherwise X as a *mat.Dense. It returns an error if X has NaN or
// Inf, or if a dense X is empty.
func matrix(X mat.Matrix) (mat.Matrix, error) {
	if S, ok := X.(*csr.Matrix); ok && S != nil {
		if i, j := S.Find(); i >= 0 {
			return nil, fmt.Errorf("X(%d, %d) is %v", i, j, S.At(i, j))
		}
		return S, nil
	}
	return finite.Dense("X", X)
}

// rowsOf returns a copy of the rows idx of X.
func rowsOf(X mat.Matrix, idx []int) mat.Matrix {
	if S, ok := X.(*csr.Matrix); ok {
		return S.Rows(idx)
	}
	return subset.Rows(X, idx)
}

// data checks the training data, and returns X as a *csr.Matrix or a *mat.Dense (see the comment of matrix).
func data(fn string, X mat.Matrix, y []float64) (mat.Matrix, error) {
	mustNotBeNil(fn, X)
	D, err := matrix(X)
	if err != nil {
		return nil, fmt.Errorf("regress: %s: %w", fn, err)
	}
	if n, d := D.Dims(); n != len(y) {
		if d == len(y) {
			panic(fmt.Sprintf("regress: %s: X is %d×%d, a point per ROW, and y has %d values: want %d×%d, is X transposed?", fn, n, d, len(y), d, n))
		}
		panic(fmt.Sprintf("regress: %s: X is %d×%d, a point per ROW, and y has %d values", fn, n, d, len(y)))
	}
	for i, v := range y {
		if !finite.Is(v) {
			return nil, fmt.Errorf("regress: %s: y[%d] is %v", fn, i, v)
		}
	}
	return D, nil
}

// checkAlphas returns an error unless all penalties are positive and finite.
func checkAlphas(fn string, alphas []float64) error {
	for i, a := range alphas {
		if !(a > 0) || math.IsInf(a, 0) {
			return fmt.Errorf("regress: %s: alpha[%d] is %v, must be positive and finite", fn, i, a)
		}
	}
	return nil
}

// means returns the weighted means of the columns of X (d), where s holds the weights of the points. If s is nil, all
// weights are 1.
func means(X mat.Matrix, s []float64) []float64 {
	n, d := X.Dims()
	S, sparse := X.(*csr.Matrix)
	if sparse && s == nil {
		return S.Means()
	}
	mx := make([]float64, d)
	switch {
	case sparse:
		S.DoNonZero(func(i, j int, v float64) { mx[j] += s[i] * v })
	case s == nil:
		for i := range n {
			floats.Add(mx, X.(*mat.Dense).RawRowView(i))
		}
	default:
		for i, w := range s {
			floats.AddScaled(mx, w, X.(*mat.Dense).RawRowView(i))
		}
	}
	floats.Scale(1/total(n, s), mx)
	return mx
}

// mean returns the weighted mean of y, where s holds the weights of the points. If s is nil, all weights are 1.
func mean(y, s []float64) (m float64) {
	for i, v := range y {
		if s != nil {
			v *= s[i]
		}
		m += v
	}
	return m / total(len(y), s)
}
