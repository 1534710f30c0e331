// Package weights has the weights of points in a loss, from those of their classes and their
// own.
package weights

import (
	"fmt"
	"math"
)

// Of returns the weight of each point with labels y (0 to K−1): the product of that of its
// class (classes: K, nil: 1) and its own (samples: as many as y, nil: 1). It is nil if both
// are. A weight that is negative, NaN or infinite, a wrong number of them, and a class of
// which all points weigh nothing are errors, which name the options ClassWeights and
// SampleWeights.
func Of(classes, samples []float64, y []int, K int) ([]float64, error) {
	if err := check("ClassWeights", classes, K, "classes"); err != nil {
		return nil, err
	}
	if err := check("SampleWeights", samples, len(y), "points"); err != nil {
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

func check(option string, w []float64, want int, of string) error {
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
