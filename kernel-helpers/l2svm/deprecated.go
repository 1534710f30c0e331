package l2svm

import "context"

// Train does what Fit does.
//
// Deprecated: use Fit.
func Train(ctx context.Context, X Points, y []int, opt *Options) (*Model, error) {
	return Fit(ctx, X, y, opt)
}

// TrainPath does what FitPath does.
//
// Deprecated: use FitPath.
func TrainPath(ctx context.Context, X Points, y []int, cs []float64, opt *Options) ([]*Model, error) {
	return FitPath(ctx, X, y, cs, opt)
}

// LearningCurve does what MeasureCurve does.
//
// Deprecated: use MeasureCurve.
func LearningCurve(ctx context.Context, train Points, ytrain []int, test Points, ytest []int, opt CurveOptions) (*Curve, error) {
	return MeasureCurve(ctx, train, ytrain, test, ytest, &opt)
}
