package topics

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Infer does what Transform does.
//
// Deprecated: use Transform.
func (m *Model) Infer(ctx context.Context, counts mat.Matrix, opt *InferOptions) (*mat.Dense, error) {
	return m.Transform(ctx, counts, opt)
}

// Supervised is the old name of SupervisedModel.
//
// Deprecated: use SupervisedModel.
type Supervised = SupervisedModel
