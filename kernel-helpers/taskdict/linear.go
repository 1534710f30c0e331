package taskdict

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
)

// Linear is the head of a linear regression: ŷ = θ'w + b,
//
//	l = ½ mean (ŷ − y)² + (α/2)‖θ‖².
type Linear struct {
	y     []float64
	alpha float64
	theta []float64 // θ (m), then b
}

// NewLinear returns a head for the responses y (N) with penalty alpha. Its initial parameters are the weights w (m)
// and the intercept b, which should come from a regression on the codes of the initial basis.
func NewLinear(y, w []float64, b, alpha float64) *Linear {
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("taskdict: NewLinear: y[%d] is %v", i, v))
		}
	}
	for i, v := range append(slices.Clone(w), b) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("taskdict: NewLinear: weight %d is %v", i, v))
		}
	}
	if !(alpha >= 0) || math.IsInf(alpha, 1) {
		panic(fmt.Sprintf("taskdict: NewLinear: alpha is %v", alpha))
	}
	return &Linear{y: slices.Clone(y), alpha: alpha, theta: append(slices.Clone(w), b)}
}

// Signals returns the number of responses.
func (h *Linear) Signals() int { return len(h.y) }

// Theta returns θ (m), then b.
func (h *Linear) Theta() []float64 { return h.theta }

// Predict returns ŷ for each column of the codes (m×N).
func (h *Linear) Predict(codes mat.Matrix) []float64 {
	W := given.Dense("taskdict: Linear.Predict", "W", codes)
	m := len(h.theta) - 1
	_, N := W.Dims()
	check("Linear", W, m, make([]int, N))
	out := mat.NewVecDense(N, nil)
	out.MulVec(W.T(), mat.NewVecDense(m, h.theta[:m]))
	for i := range N {
		out.SetVec(i, out.AtVec(i)+h.theta[m])
	}
	return out.RawVector().Data
}

// Loss implements Head.
func (h *Linear) Loss(W *mat.Dense, batch []int, grad []float64) (float64, *mat.Dense) {
	m, b := len(h.theta)-1, len(batch)
	checkBatch("Linear", batch, len(h.y), grad, len(h.theta))
	e, l := h.Predict(W), 0.0
	for i, signal := range batch {
		e[i] -= h.y[signal]
		l += e[i] * e[i] / (2 * float64(b))
		e[i] /= float64(b)
	}
	miss, theta := mat.NewVecDense(b, e), mat.NewVecDense(m, h.theta[:m])
	mat.NewVecDense(m, grad[:m]).MulVec(W, miss)
	for j, t := range h.theta[:m] {
		grad[j] += h.alpha * t
		l += h.alpha / 2 * t * t
	}
	grad[m] = mat.Sum(miss)
	dW := mat.NewDense(m, b, nil)
	dW.Outer(1, theta, miss)
	return l, dW
}
