package s3c

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Train does what Fit does.
//
// Deprecated: use Fit.
func Train(ctx context.Context, src Source, opt *Options) (*Result, error) { return Fit(ctx, src, opt) }

// NewEncoder does what Model.NewEncoder does.
//
// Deprecated: use Model.NewEncoder.
func NewEncoder(m *Model, opt EncoderOptions) (*Encoder, error) { return m.NewEncoder(&opt) }

// Encode does what Transform does.
//
// Deprecated: use Transform.
func (m *Model) Encode(ctx context.Context, V mat.Matrix, opt *EncodeOptions) (*mat.Dense, error) {
	return m.Transform(ctx, V, opt)
}

// Reconstruct does what Inverse does.
//
// Deprecated: use Inverse.
func (m *Model) Reconstruct(q *Posterior) *mat.Dense { return m.Inverse(q) }
