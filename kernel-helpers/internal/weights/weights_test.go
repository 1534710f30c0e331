package weights

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	y := []int{0, 2, 2, 0}
	for _, c := range []struct {
		classes, samples, want []float64
	}{
		{nil, nil, nil},
		{[]float64{2, 5, 3}, nil, []float64{2, 3, 3, 2}},
		{nil, []float64{1, 0, 4, 2}, []float64{1, 0, 4, 2}},
		{[]float64{2, 0, 3}, []float64{1, 0, 4, 2}, []float64{2, 0, 12, 4}}, // no point is in class 1
	} {
		if s, err := Of(c.classes, c.samples, y, 3); err != nil || !slices.Equal(s, c.want) {
			t.Errorf("%v, %v: %v, %v", c.classes, c.samples, s, err)
		}
	}
	for _, c := range []struct {
		classes, samples []float64
		want             string
	}{
		{[]float64{1, 1}, nil, "ClassWeights has 2 weights for 3 classes"},
		{nil, []float64{1}, "SampleWeights has 1 weights for 4 points"},
		{[]float64{1, -1, 1}, nil, "ClassWeights[1] is -1"},
		{nil, []float64{1, 1, math.NaN(), 1}, "SampleWeights[2] is NaN"},
		{nil, []float64{1, math.Inf(1), 1, 1}, "SampleWeights[1] is +Inf"},
		{nil, []float64{0, 1, 1, 0}, "the points of class 0 weigh 0"},
		{[]float64{1, 1, 0}, nil, "the points of class 2 weigh 0"},
		{[]float64{1, 1, 1e308}, []float64{1, 9, 9, 1}, "the points of class 2 weigh +Inf"},
	} {
		if _, err := Of(c.classes, c.samples, y, 3); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.want, err)
		}
	}
}
