package unrolled

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Train does what Fit does.
//
// Deprecated: use Fit.
func Train(ctx context.Context, m *Model, X, W mat.Matrix, opt *Options) (*Result, error) {
	return Fit(ctx, m, X, W, opt)
}

// Code does what Transform does.
//
// Deprecated: use Transform.
func (m *Model) Code(X mat.Matrix) *mat.Dense { return m.Transform(X) }
