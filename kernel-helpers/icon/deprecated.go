package icon

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// LearnOptions is the old name of FitOptions.
//
// Deprecated: use FitOptions.
type LearnOptions = FitOptions

// Fit does what Minimize does.
//
// Deprecated: use Minimize.
func Fit(ctx context.Context, o *Objective, opt Options) (*Result, error) {
	return Minimize(ctx, o, &opt)
}

// Learn does what FitMethod does.
//
// Deprecated: use FitMethod.
func Learn(ctx context.Context, method string, X mat.Matrix, labels []int, opt LearnOptions) (*Result, error) {
	return FitMethod(ctx, X, labels, method, &opt)
}

// Contrast does what FitContrast does.
//
// Deprecated: use FitContrast.
func Contrast(ctx context.Context, images mat.Matrix, opt ContrastOptions) (*ContrastResult, error) {
	return FitContrast(ctx, images, &opt)
}

// Features does what Transform does.
//
// Deprecated: use Transform.
func (r *ContrastResult) Features(X mat.Matrix) *mat.Dense { return r.Transform(X) }

// Features does what Transform does.
//
// Deprecated: use Transform.
func (e *Encoder) Features(X *mat.Dense) *mat.Dense { return e.Transform(X) }

// Symmetrised does what Symmetrized does.
//
// Deprecated: use Symmetrized.
func Symmetrised(g *Given) *Given { return Symmetrized(g) }

// NeighboursP does what NeighborsP does.
//
// Deprecated: use NeighborsP.
func NeighboursP(X mat.Matrix, k int) (*Given, error) { return NeighborsP(X, k) }

// Contrasted is the old name of ContrastResult.
//
// Deprecated: use ContrastResult.
type Contrasted = ContrastResult

// Encoded is the old name of NetworkEmbedding.
//
// Deprecated: use NetworkEmbedding.
type Encoded = NetworkEmbedding
