package l2svm

import (
	"context"
	"fmt"
	"math"

	"overcomplete/internal/finite"
)

// A Scale standardizes features: x̂_j = (x_j − Mean_j)/SD_j.
type Scale struct {
	Mean, SD []float64 // d
}

// NewScale returns the mean and √(variance + floor) of each feature of X (n×d), computed in one pass. Coates and Ng
// use a floor of 0.01; a negative floor is an error. The variance is the sample variance (division by n − 1). If the
// floor is 0, the SD of a constant feature is 1.
func NewScale(ctx context.Context, X Points, floor float64) (*Scale, error) {
	pointsOf("NewScale", X)
	s, err := newScale(orBackground(ctx), X, floor)
	if err != nil {
		return nil, fmt.Errorf("l2svm: NewScale: %w", err)
	}
	return s, nil
}

func newScale(ctx context.Context, X Points, floor float64) (*Scale, error) {
	n, d := X.Dims()
	if n == 0 || d == 0 {
		return nil, fmt.Errorf("the matrix X has %d points of %d features", n, d)
	}
	if !(floor >= 0) || math.IsInf(floor, 0) {
		return nil, fmt.Errorf("the floor is %v, must be finite and not negative", floor)
	}
	sum, square := make([][]float64, lanes), make([][]float64, lanes)
	// Deviations are from the first point, so features far from 0 lose no digits.
	first := make([]float32, d)
	if err := X.Read(first, 0, 1); err != nil {
		return nil, err
	}
	bad := make([]error, lanes)
	err := stream(ctx, X, func(lane int, x []float32, from, to int) {
		if sum[lane] == nil {
			sum[lane], square[lane] = make([]float64, d), make([]float64, d)
		}
		s, q := sum[lane], square[lane]
		for i := from; i < to; i++ {
			row := x[(i-from)*d : (i-from+1)*d]
			for j, v := range row {
				if !finite.Is(v) && bad[lane] == nil {
					bad[lane] = fmt.Errorf("feature %d of point %d is %v", j, i, v)
				}
				e := float64(v) - float64(first[j])
				s[j] += e
				q[j] += e * e
			}
		}
	})
	for _, b := range bad {
		if err == nil {
			err = b
		}
	}
	if err != nil {
		return nil, err
	}
	sc := &Scale{Mean: make([]float64, d), SD: make([]float64, d)}
	for j := range d {
		var s, q float64
		for lane := range lanes {
			if sum[lane] != nil {
				s += sum[lane][j]
				q += square[lane][j]
			}
		}
		m := s / float64(n)
		sc.Mean[j] = float64(first[j]) + m
		variance := 0.0
		if n > 1 {
			variance = math.Max(0, (q-s*m)/float64(n-1))
		}
		sc.SD[j] = math.Sqrt(variance + floor)
		if sc.SD[j] == 0 { // a constant feature: any SD will do
			sc.SD[j] = 1
		}
	}
	return sc, nil
}

// check returns an error unless s is a valid Scale for d features.
func (s *Scale) check(d int) error {
	if len(s.Mean) != d || len(s.SD) != d {
		return fmt.Errorf("the scale has %d means and %d deviations, the points have %d features", len(s.Mean), len(s.SD), d)
	}
	for j := range d {
		if !(s.SD[j] > 0) || math.IsInf(s.SD[j], 0) || !finite.Is(s.Mean[j]) {
			return fmt.Errorf("feature %d has mean %v and scale %v", j, s.Mean[j], s.SD[j])
		}
	}
	return nil
}
