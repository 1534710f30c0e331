package regress

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// TrainRidge does what FitRidge does, without a context.
//
// Deprecated: use FitRidge.
func TrainRidge(X mat.Matrix, y []float64, alpha float64) (*Linear, error) {
	return FitRidge(context.Background(), X, y, alpha)
}

// RidgePath does what FitRidgePath does, without a context.
//
// Deprecated: use FitRidgePath.
func RidgePath(X mat.Matrix, y []float64, alphas []float64) ([]*Linear, error) {
	return FitRidgePath(context.Background(), X, y, alphas)
}

// TrainLasso does what FitLasso does.
//
// Deprecated: use FitLasso.
func TrainLasso(ctx context.Context, X mat.Matrix, y []float64, alpha float64, opt *LassoOptions) (*Lasso, error) {
	return FitLasso(ctx, X, y, alpha, opt)
}

// LassoPath does what FitLassoPath does.
//
// Deprecated: use FitLassoPath.
func LassoPath(ctx context.Context, X mat.Matrix, y []float64, alphas []float64, opt *LassoOptions) ([]*Lasso, error) {
	return FitLassoPath(ctx, X, y, alphas, opt)
}
