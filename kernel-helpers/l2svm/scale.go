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

// NewScale returns the mean and √(variance + floor) of each feature of X (n×d), computed in one pass, in float64.
// Coates and Ng use a floor of 0.01; a negative floor is an error. The variance is the sample variance (division by
// n − 1). If the floor is 0, the SD of a constant feature is 1.
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
	var parts [lanes]moments
	var bad [lanes]error
	err := stream64(ctx, X, func(lane int, x []float64, from, to int) {
		if k := finite.Index(x); k >= 0 && bad[lane] == nil {
			bad[lane] = fmt.Errorf("feature %d of point %d is %v", k%d, from+k/d, x[k])
		}
		parts[lane].add(momentsOf(x, d))
	})
	for _, b := range bad {
		if err == nil {
			err = b
		}
	}
	if err != nil {
		return nil, err
	}
	all := parts[0]
	for _, p := range parts[1:] {
		all.add(p)
	}
	sc := &Scale{Mean: all.mean, SD: make([]float64, d)}
	for j := range d {
		variance := 0.0
		if n > 1 {
			variance = all.square[j] / float64(n-1)
		}
		sc.SD[j] = math.Sqrt(variance + floor)
		if sc.SD[j] == 0 { // a constant feature: any SD will do
			sc.SD[j] = 1
		}
		if math.IsInf(sc.SD[j], 0) || !finite.Is(sc.Mean[j]) {
			return nil, fmt.Errorf("feature %d has values so large that its variance is not a number", j)
		}
	}
	return sc, nil
}

// moments are the means of n points and the sums of the squared deviations from them.
type moments struct {
	n            float64
	mean, square []float64 // d
}

// momentsOf returns the moments of points of d features.
func momentsOf(x []float64, d int) moments {
	n := float64(len(x) / d)
	m := moments{n, make([]float64, d), make([]float64, d)}
	rest := make([]float64, d) // what rounding left over in the means
	for i := 0; i < len(x); i += d {
		for j, v := range x[i : i+d] {
			m.mean[j] += v - x[j]
		}
	}
	for j := range d {
		m.mean[j] = x[j] + m.mean[j]/n
	}
	for i := 0; i < len(x); i += d {
		for j, v := range x[i : i+d] {
			e := v - m.mean[j]
			rest[j] += e
			m.square[j] += e * e
		}
	}
	for j, r := range rest {
		m.square[j] = max(0, m.square[j]-r*r/n)
		m.mean[j] += r / n
	}
	return m
}

// add adds further points to m. It is the update of T. Chan, G. Golub and R. LeVeque (1979).
func (m *moments) add(o moments) {
	if m.n == 0 || o.n == 0 {
		if m.n == 0 {
			*m = o
		}
		return
	}
	n := m.n + o.n
	for j, mean := range o.mean {
		e := mean - m.mean[j]
		m.mean[j] += e * (o.n / n)
		m.square[j] += o.square[j] + e*e*(m.n*o.n/n)
	}
	m.n = n
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

// farMean is the largest |mean|/SD of a feature whose products are formed from the features as they are. Rounding x to
// float32 is then an error of at most 6e-6 standard deviations.
const farMean = 100

// centered returns X and s, or the points of X standardized by s as they are read, and a scale that changes nothing.
// It returns the latter if a feature is so far from 0, or so large or small, that float32 does not hold it well.
func (s *Scale) centered(X Points) (Points, *Scale) {
	if _, ok := X.(*sparsePoints); ok { // its products are in float64
		return X, s
	}
	for j, sd := range s.SD {
		if math.Abs(s.Mean[j]) > farMean*sd || sd > 1e30 || sd < 1e-30 {
			same := &Scale{Mean: make([]float64, len(s.SD)), SD: make([]float64, len(s.SD))}
			for j := range same.SD {
				same.SD[j] = 1
			}
			return &standardized{X, s}, same
		}
	}
	return X, s
}

// standardized holds the points of X, standardized.
type standardized struct {
	X     Points
	scale *Scale
}

func (p *standardized) Dims() (n, d int) { return p.X.Dims() }

func (p *standardized) Read64(dst []float64, from, to int) error {
	d := len(p.scale.SD)
	if err := read64(p.X, dst, from, to); err != nil {
		return err
	}
	for i := range to - from {
		row := dst[i*d : (i+1)*d]
		for j, v := range row {
			row[j] = (v - p.scale.Mean[j]) / p.scale.SD[j]
		}
	}
	return nil
}

func (p *standardized) Read(dst []float32, from, to int) error {
	x := make([]float64, len(dst))
	if err := p.Read64(x, from, to); err != nil {
		return err
	}
	for k, v := range x {
		dst[k] = float32(v)
	}
	return nil
}
