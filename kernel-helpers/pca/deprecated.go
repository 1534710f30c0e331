package pca

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// TrainAutoencoder does what FitAutoencoder does.
//
// Deprecated: use FitAutoencoder.
func TrainAutoencoder(ctx context.Context, X mat.Matrix, k int, opt *AutoencoderOptions) (*LinearAutoencoder, error) {
	return FitAutoencoder(ctx, X, k, opt)
}

// Encode does what Transform does.
//
// Deprecated: use Transform.
func (ae *LinearAutoencoder) Encode(X mat.Matrix) *mat.Dense { return ae.Transform(X) }

// Decode does what Inverse does.
//
// Deprecated: use Inverse.
func (ae *LinearAutoencoder) Decode(Z mat.Matrix) *mat.Dense { return ae.Inverse(Z) }

// Apply does what Transform does.
//
// Deprecated: use Transform.
func (w *Whitener) Apply(X mat.Matrix) *mat.Dense { return w.Transform(X) }
