package taskdict

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/klcoding"
)

// A Head is a differentiable function of codes, with parameters θ of its own: the loss that Fit minimizes.
type Head interface {
	// Loss returns the mean loss l, and dl/dW (m×b), for the codes W (m×b) of the signals whose numbers are in batch.
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
