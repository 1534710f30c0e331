package attention

import "context"

// TrainOptions is the old name of FitOptions.
//
// Deprecated: use FitOptions.
type TrainOptions = FitOptions

// TrainResult is the old name of FitResult.
//
// Deprecated: use FitResult.
type TrainResult = FitResult

// Train does what Fit does.
//
// Deprecated: use Fit.
func Train(ctx context.Context, m Model, draw func(step int) Batch, opt *TrainOptions) (*TrainResult, error) {
	return Fit(ctx, m, draw, opt)
}
