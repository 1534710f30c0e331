package superposition

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Train does what Fit does.
//
// Deprecated: use Fit.
func Train(ctx context.Context, d *Data, opt Options) (*Result, error) { return Fit(ctx, d, &opt) }

// Decode does what Reconstruct does.
//
// Deprecated: use Reconstruct.
func (a *Model) Decode(X *mat.Dense) *mat.Dense { return a.Reconstruct(X) }
