// Package weights combines class weights and sample weights into the weights of the points in a loss.
package weights

import (
	"fmt"
	"math"
)

// Of returns the weight of each point: its class weight times its sample weight. y has the points' labels (0 to K−1),
// classes has K weights, and samples has one weight for each point. A nil slice stands for weights of 1; if both are
// nil, Of returns nil.
//
// Of returns the errors of Check for the options ClassWeights and SampleWeights. It also returns an error if the sum of
// the weights of a class's points is 0 or overflows.
func Of(classes, samples []float64, y []int, K int) ([]float64, error) {
	if err := Check("ClassWeights", classes, K, "classes"); err != nil {
		return nil, err
	}
	if err := Check("SampleWeights", samples, len(y), "points"); err != nil {
		return nil, err
	}
	if classes == nil && samples == nil {
		return nil, nil
	}
	s, of, there := make([]float64, len(y)), make([]float64, K), make([]bool, K)
	for i, k := range y {
		s[i], there[k] = 1, true
		if classes != nil {
			s[i] = classes[k]
		}
		if samples != nil {
			s[i] *= samples[i]
		}
		of[k] += s[i]
	}
	for k, w := range of {
		if there[k] && (w == 0 || math.IsInf(w, 0)) {
			return nil, fmt.Errorf("ClassWeights and SampleWeights: the points of class %d weigh %v together", k, w)
		}
	}
	return s, nil
}

// Check returns an error if an element of w is negative, NaN or infinite, or if len(w) != want. The error names the
// option. The argument of says what the weights are for, such as "points" in the error "SampleWeights has 3 weights
// for 5 points". A nil w is valid: it means no weights.
func Check(option string, w []float64, want int, of string) error {
	if w == nil {
		return nil
	}
	if len(w) != want {
		return fmt.Errorf("%s has %d weights for %d %s", option, len(w), want, of)
	}
	for i, v := range w {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%s[%d] is %v, must be finite and not negative", option, i, v)
		}
	}
	return nil
}
