package bradley2008

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/taskdict"
	"overcomplete/paper/lab"
)

// tolerance is the tolerance with which codes for classifiers are computed. For L1 it is relative to the
// objective; for KL it limits klcoding's gradient.
const tolerance = 1e-6

// CodeL1 returns the L1 codes of X (D×N) on B (D×n): n×N.
func CodeL1(ctx context.Context, B, X mat.Matrix, lambda float64) *mat.Dense {
	defer gemm.Serial()() // the signals run in parallel
	r, err := sparseapprox.Solve(ctx, B, X, &sparseapprox.Options{Lambda: lambda, Tolerance: tolerance})
	lab.Check(err)
	return r.W
}

// Coding returns the options for the KL prior on the doubled basis, as in the
// paper's experiments on digits.
func Coding(lambda, p float64) klcoding.Options {
	return klcoding.Options{Lambda: lambda, P: p, Doubled: true, Tolerance: tolerance}
}

// CodeKL returns the KL codes w̃ = [w⁻; w⁺] of X (D×N) on [−B B]: 2n×N.
func CodeKL(ctx context.Context, B, X mat.Matrix, lambda, p float64) *mat.Dense {
	defer gemm.Serial()()
	coding := Coding(lambda, p)
	W, err := taskdict.CodeSignals(ctx, B, X, true, &coding)
	lab.Check(err)
	return W
}

// Signed returns w⁺ − w⁻ (n×N), given w̃ = [w⁻; w⁺] (2n×N).
func Signed(W *mat.Dense) *mat.Dense {
	m, N := W.Dims()
	out := mat.NewDense(m/2, N, nil)
	out.Sub(W.Slice(m/2, m, 0, N), W.Slice(0, m/2, 0, N))
	return out
}

// PartsOf splits signed codes W (n×N) into their negative and positive parts [w⁻; w⁺] (2n×N). At least one of the two
// parts of a coefficient is exactly 0. If W holds L1 codes on B, the result holds L1 codes on the doubled basis [−B
// B].
func PartsOf(W *mat.Dense) *mat.Dense {
	n, N := W.Dims()
	out := mat.NewDense(2*n, N, nil)
	for j := range n {
		for i, v := range W.RawRowView(j) {
			out.Set(j, i, max(-v, 0))
			out.Set(n+j, i, max(v, 0))
		}
	}
	return out
}
