package taskdict

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/klcoding"
)

// Train does what Fit does.
//
// Deprecated: use Fit.
func Train(ctx context.Context, B, X mat.Matrix, head Head, opt Options) (*Result, error) {
	return Fit(ctx, B, X, head, &opt)
}

// Codes does what CodeSignals does.
//
// Deprecated: use CodeSignals.
func Codes(ctx context.Context, B, X mat.Matrix, coding klcoding.Options, parts bool) (*mat.Dense, error) {
	return CodeSignals(ctx, B, X, parts, &coding)
}
