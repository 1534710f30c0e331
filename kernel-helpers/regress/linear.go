package regress

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// A Linear predicts ŷ = w'x + b.
type Linear struct {
	W         []float64 // d
	Intercept float64   // b
	Alpha     float64   // the strength of the penalty it was trained with
}

// Predict returns Xw + b for the rows of X (n×d).
func (m *Linear) Predict(X mat.Matrix) []float64 {
	D, err := finite.Dense("X", X)
	if err != nil {
		panic(fmt.Sprintf("regress: Predict: %v", err))
	}
	n, d := D.Dims()
	if d != len(m.W) {
		panic(fmt.Sprintf("regress: Predict: X is %d×%d, the model has %d features", n, d, len(m.W)))
	}
	y := make([]float64, n)
	for i := range n {
		y[i] = floats.Dot(D.RawRowView(i), m.W) + m.Intercept
	}
	return y
}

// PredictiveR2 returns the share of the variance of y that predictions account for,
//
//	pR² = 1 − Σ (y_i − ŷ_i)² / Σ (y_i − ȳ)²
//
// with ȳ the mean of y. With out-of-fold predictions it is the measure of Bradley
// and Bagnell's table 6; it is negative for predictions worse than ȳ. It panics if
// the lengths differ or all y are equal.
func PredictiveR2(y, predicted []float64) float64 {
	if len(y) != len(predicted) || len(y) == 0 {
		panic(fmt.Sprintf("regress: PredictiveR2: %d values and %d predictions", len(y), len(predicted)))
	}
	mean := floats.Sum(y) / float64(len(y))
	var rest, total float64
	for i, v := range y {
		rest += (v - predicted[i]) * (v - predicted[i])
		total += (v - mean) * (v - mean)
	}
	if total == 0 {
		panic("regress: PredictiveR2: all y are equal")
	}
	return 1 - rest/total
}

// data checks what a model is trained on.
func data(fn string, X mat.Matrix, y []float64) (*mat.Dense, error) {
	D, err := finite.Dense("X", X)
	if err != nil {
		return nil, fmt.Errorf("regress: %s: %w", fn, err)
	}
	if n, d := D.Dims(); n != len(y) {
		panic(fmt.Sprintf("regress: %s: X is %d×%d (a point per ROW) and y has %d values", fn, n, d, len(y)))
	}
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("regress: %s: y[%d] is %v", fn, i, v)
		}
	}
	return D, nil
}

// checkAlphas refuses penalties that are not positive numbers.
func checkAlphas(fn string, alphas []float64) error {
	for i, a := range alphas {
		if !(a > 0) || math.IsInf(a, 0) {
			return fmt.Errorf("regress: %s: alpha[%d] is %v, must be positive and finite", fn, i, a)
		}
	}
	return nil
}

// means are those of the columns of X (d) and of y.
func means(X *mat.Dense, y []float64) (mx []float64, my float64) {
	n, d := X.Dims()
	mx = make([]float64, d)
	for i := range n {
		floats.Add(mx, X.RawRowView(i))
		my += y[i]
	}
	floats.Scale(1/float64(n), mx)
	return mx, my / float64(n)
}
