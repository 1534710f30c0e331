package codecost

import "gonum.org/v1/gonum/mat"

// Measure does what MeasureCost does.
//
// Deprecated: use MeasureCost.
func Measure(X, A, S *mat.Dense, sigma float64, opt Options) (Cost, error) {
	return MeasureCost(X, A, S, sigma, &opt)
}

// Curve does what MeasureCurve does.
//
// Deprecated: use MeasureCurve.
func Curve(X, A, S *mat.Dense, sigmas []float64, opt Options) ([]Cost, error) {
	return MeasureCurve(X, A, S, sigmas, &opt)
}

// Quantise does what Quantize does.
//
// Deprecated: use Quantize.
func Quantise(values []float64, step float64) []int { return Quantize(values, step) }

// Entropy does what EstimateEntropy does.
//
// Deprecated: use EstimateEntropy.
func Entropy(values []float64, step float64, opt Options) (float64, error) {
	return EstimateEntropy(values, step, &opt)
}

// Analyse does what Analyze does.
//
// Deprecated: use Analyze.
func Analyse(A, X *mat.Dense) *mat.Dense { return Analyze(A, X) }
