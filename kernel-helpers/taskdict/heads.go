package taskdict

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/klcoding"
)

// A Head is a differentiable function of codes, with parameters θ of its own: the loss that Fit minimizes.
type Head interface {
	// Loss returns the mean loss l, and dl/dW (m×b), for the codes W (m×b) of the signals whose indices are in batch.
	// It stores dl/dθ in grad. The head retains neither gradient.
	Loss(W *mat.Dense, batch []int, grad []float64) (l float64, dW *mat.Dense)
	// Signals returns N, the number of signals with a label or response.
	Signals() int
	// Theta returns θ itself, not a copy: Fit changes it. Its length never changes.
	Theta() []float64
}

// CodeSignals codes the columns of X (D×N) on the basis B (D×n), and returns the codes in the form that a Head takes:
// the signed codes ŵ (n×N) or, if parts is set, their negative and positive parts w̃ = [ŵ⁻; ŵ⁺] (2n×N), see
// klcoding.Coder.Parts.
func CodeSignals(ctx context.Context, B, X mat.Matrix, parts bool, coding *klcoding.Options) (*mat.Dense, error) {
	c, err := klcoding.New(B, coding)
	if err != nil {
		return nil, err
	}
	r, err := c.Code(ctx, X)
	if err != nil {
		return nil, err
	}
	if parts {
		return c.Parts(r.W), nil
	}
	return r.W, nil
}

// transposeHint returns the end of an error message that asks whether X (r×c) is transposed. It returns "" unless X'
// would have the required d rows and X does not.
func transposeHint(r, c, d int) string {
	if c == d && r != d {
		return fmt.Sprintf(": want %d×%d, is X transposed?", c, r)
	}
	return ""
}

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

// Maxent is the head of a classifier: z = Θw + b, P(y|w) = softmax(z),
//
//	l = −mean log P(y|w) + (α/2)‖Θ‖².
type Maxent struct {
	y     []int
	alpha float64
	k, m  int
	theta []float64 // Θ (K×m) row by row, then b (K)
}

// NewMaxent returns a head for the labels y (N, 0 to K−1) with penalty alpha. Its initial parameters are those of the
// classifier passed as start, which must have been trained on codes of the initial basis.
func NewMaxent(y []int, start *classify.Maxent, alpha float64) *Maxent {
	if start == nil {
		panic("taskdict: NewMaxent: start is nil")
	}
	k, m := start.W.Dims()
	for _, t := range append(slices.Clone(start.W.RawMatrix().Data), start.B...) {
		if math.IsNaN(t) || math.IsInf(t, 0) {
			panic(fmt.Sprintf("taskdict: NewMaxent: the classifier has the weight %v", t))
		}
	}
	for i, c := range y {
		if c < 0 || c >= k {
			panic(fmt.Sprintf("taskdict: NewMaxent: label %d is %d, the classifier has %d classes", i, c, k))
		}
	}
	if !(alpha >= 0) || math.IsInf(alpha, 1) {
		panic(fmt.Sprintf("taskdict: NewMaxent: alpha is %v", alpha))
	}
	h := &Maxent{y: slices.Clone(y), alpha: alpha, k: k, m: m, theta: make([]float64, k*m+k)}
	mat.NewDense(k, m, h.theta[:k*m]).Copy(start.W)
	copy(h.theta[k*m:], start.B)
	return h
}

// Signals returns the number of labels.
func (h *Maxent) Signals() int { return len(h.y) }

// Theta returns Θ (K×m) row by row, then b (K).
func (h *Maxent) Theta() []float64 { return h.theta }

// Model returns the current classifier.
func (h *Maxent) Model() *classify.Maxent {
	t := slices.Clone(h.theta)
	return &classify.Maxent{W: mat.NewDense(h.k, h.m, t[:h.k*h.m]), B: t[h.k*h.m:]}
}

// Loss implements Head.
func (h *Maxent) Loss(W *mat.Dense, batch []int, grad []float64) (float64, *mat.Dense) {
	given.Args("taskdict: Maxent.Loss", "W", W)
	check("Maxent", W, h.m, batch)
	b := len(batch)
	checkBatch("Maxent", batch, len(h.y), grad, len(h.theta))
	theta := mat.NewDense(h.k, h.m, h.theta[:h.k*h.m])
	Z := mat.NewDense(h.k, b, nil)
	Z.Mul(theta, W) // K×m · m×b
	z, l := make([]float64, h.k), 0.0
	for i, signal := range batch {
		top := math.Inf(-1)
		for k := range z {
			z[k] = Z.At(k, i) + h.theta[h.k*h.m+k]
			top = max(top, z[k])
		}
		sum := 0.0
		for k := range z {
			sum += math.Exp(z[k] - top)
		}
		y := h.y[signal]
		l += math.Log(sum) - (z[y] - top)
		for k := range z {
			d := math.Exp(z[k]-top) / sum
			if k == y {
				d--
			}
			Z.Set(k, i, d/float64(b))
		}
	}
	l /= float64(b)
	dTheta := mat.NewDense(h.k, h.m, grad[:h.k*h.m])
	dTheta.Mul(Z, W.T()) // K×b · b×m
	for j, t := range h.theta[:h.k*h.m] {
		grad[j] += h.alpha * t
		l += h.alpha / 2 * t * t
	}
	for k := range h.k {
		grad[h.k*h.m+k] = mat.Sum(Z.RowView(k))
	}
	dW := mat.NewDense(h.m, b, nil)
	dW.Mul(theta.T(), Z) // m×K · K×b
	return l, dW
}

func check(head string, W *mat.Dense, m int, batch []int) {
	if r, c := W.Dims(); r != m || c != len(batch) {
		panic(fmt.Sprintf("taskdict: %s: the codes are %d×%d, the head expects %d×%d", head, r, c, m, len(batch)))
	}
}

// checkBatch panics unless the batch has valid signal numbers, and grad is as long as the parameters.
func checkBatch(head string, batch []int, signals int, grad []float64, parameters int) {
	if len(batch) == 0 || len(grad) != parameters {
		panic(fmt.Sprintf("taskdict: %s: a batch of %d signals, and a gradient of %d numbers for %d parameters", head, len(batch), len(grad), parameters))
	}
	for _, i := range batch {
		if i < 0 || i >= signals {
			panic(fmt.Sprintf("taskdict: %s: the batch has signal %d of %d", head, i, signals))
		}
	}
}
