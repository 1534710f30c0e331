package taskdict

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/internal/given"
)

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
