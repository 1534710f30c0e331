package autoencoder

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Train does what Fit does.
//
// Deprecated: use Fit.
func Train(ctx context.Context, X *mat.Dense, opt Options) (*Result, error) { return Fit(ctx, X, &opt) }

// Encode does what Transform does.
//
// Deprecated: use Transform.
func (a *Model) Encode(X *mat.Dense) *mat.Dense { return a.Transform(X) }

// Decode does what Inverse does.
//
// Deprecated: use Inverse.
func (a *Model) Decode(S *mat.Dense) *mat.Dense { return a.Inverse(S) }
