package bradley2008

import (
	"math"

	"overcomplete/paper/record"
)

// table returns a published number with the cell in which it is printed.
func table(x float64, unit, cell string) record.Value {
	return record.Published(x, unit, cell)
}

// errorTolerance returns the tolerance of an error rate in percent: 0.2 points or an eighth of the
// rate, whichever is larger. (10,000 test digits have a standard error of 0.11 points at 1.3 %, and
// the choice of training digits adds to that.)
func errorTolerance(published float64) float64 { return math.Max(0.2, published/8) }

// errorRule returns the rule for an error rate of the paper's method, in percent. There is no lower
// limit.
func errorRule(published float64) record.Rule {
	tol := errorTolerance(published)
	return record.AtMostPublished(tol).Partly(tol)
}

// baselineRule returns the rule for an error rate of a baseline of the paper, in percent. It also limits the rate
// from below: if a baseline is better than published, the paper's method gains less.
func baselineRule(published float64) record.Rule {
	tol := errorTolerance(published)
	return record.Within(tol).Partly(tol)
}

// errorNote describes errorRule and baselineRule in words.
const errorNote = "A test error counts as reproduced if it exceeds the published error by at most an eighth of the published error or 0.2 points, whichever is larger, and as partial up to twice that. For KL codes, any lower error also counts as reproduced. For the baselines (L1 codes, PCA and the other methods that the paper compares with), the same limits apply to lower errors."

// Sizes are the numbers of training digits of table 2.
var Sizes = [5]int{1000, 2000, 10000, 20000, 50000}

// published2 holds the misclassification rates of table 2, in percent.
var published2 = struct{ L1, KL, Backprop, Improvement, Training [5]float64 }{
	L1:          [5]float64{7.72, 6.63, 4.74, 4.16, 3.53},
	KL:          [5]float64{5.87, 5.06, 3.00, 2.51, 2.21},
	Backprop:    [5]float64{5.66, 4.46, 2.31, 1.78, 1.30},
	Improvement: [5]float64{3.6, 11.9, 23.0, 29.1, 43.0},
	Training:    [5]float64{0.00, 0.05, 1.01, 1.50, 1.65},
}

// published1 holds the means and spreads of table 1, by disturbance.
var published1 = struct{ L1, KL [4][2]float64 }{
	L1: [4][2]float64{{0.0283, 0.0069}, {0.285, 0.056}, {0.138, 0.026}, {1.211, 0.213}},
	KL: [4][2]float64{{0.0172, 0.0016}, {0.164, 0.015}, {0.070, 0.011}, {0.671, 0.080}},
}

// LetterSizes are the numbers of training letters of table 5.
var LetterSizes = [5]int{100, 500, 1000, 5000, 20000}

// published5 holds the accuracies of table 5, in percent.
var published5 = struct{ Raw, PCA, L1, KL, Backprop [5]float64 }{
	Raw:      [5]float64{44.3, 60.4, 66.3, 75.1, 79.3},
	PCA:      [5]float64{46.9, 61.2, 66.7, 76.0, 79.7},
	L1:       [5]float64{44.0, 63.7, 69.5, 78.9, 83.3},
	KL:       [5]float64{49.4, 69.2, 75.0, 82.5, 86.0},
	Backprop: [5]float64{50.7, 69.9, 76.4, 84.2, 89.1},
}

// MusicSizes are the numbers of training snippets of table 7.
var MusicSizes = [3]int{200, 2000, 10000}

// published7 holds the accuracies of table 7, in percent.
var published7 = struct{ PCA, L1, KL [3]float64 }{
	PCA: [3]float64{32, 43, 48},
	L1:  [3]float64{31, 43, 49},
	KL:  [3]float64{33, 45, 50},
}
