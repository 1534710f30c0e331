package ica

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// LearnOptions is the old name of FitOptions.
//
// Deprecated: use FitOptions.
type LearnOptions = FitOptions

// LearnStep is the old name of FitStep.
//
// Deprecated: use FitStep.
type LearnStep = FitStep

// LearnResult is the old name of FitResult.
//
// Deprecated: use FitResult.
type LearnResult = FitResult

// FastICAResult is the old name of FastICAModel.
//
// Deprecated: use FastICAModel.
type FastICAResult = FastICAModel

// GeneralisedGaussian is the old name of GeneralizedGaussian.
//
// Deprecated: use GeneralizedGaussian.
type GeneralisedGaussian = GeneralizedGaussian

// Learn does what Fit does.
//
// Deprecated: use Fit.
func Learn(ctx context.Context, start, x *mat.Dense, opt *LearnOptions) (*LearnResult, error) {
	return Fit(ctx, start, x, opt)
}

// LearnRestarts does what FitRestarts does.
//
// Deprecated: use FitRestarts.
func LearnRestarts(ctx context.Context, x *mat.Dense, n int, opt *RestartOptions) (*RestartResult, error) {
	return FitRestarts(ctx, x, n, opt)
}

// FastICA does what FitFastICA does.
//
// Deprecated: use FitFastICA.
func FastICA(ctx context.Context, x *mat.Dense, opt *FastICAOptions) (*FastICAResult, error) {
	return FitFastICA(ctx, x, opt)
}

// Normalise does what Normalize does.
//
// Deprecated: use Normalize.
func Normalise(a *mat.Dense) []float64 { return Normalize(a) }
