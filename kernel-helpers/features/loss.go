package features

import (
	"fmt"
	"math"
)

// A Loss holds the errors that a format causes.
type Loss struct {
	Largest  float64 // largest absolute error
	RMS      float64 // root mean square error
	Relative float64 // RMS divided by the root mean square deviation from the column means; 0 if all deviations are 0
	Bytes    int     // encoded size, without the file's head
}

// String summarizes the loss in a line.
func (l Loss) String() string {
	return fmt.Sprintf("largest error %.2g, root mean square %.2g (%.2g of the standard deviation), %d bytes", l.Largest, l.RMS, l.Relative, l.Bytes)
}

// Measure returns the loss of a format for X (n×d, row by row), encoded as one shard.
func Measure(f Format, X []float32, n, d int) (Loss, error) {
	if n <= 0 || d <= 0 || len(X) != n*d {
		panic(fmt.Sprintf("features: Measure: %d numbers are not %d×%d", len(X), n, d))
	}
	if f < Float16 || f > Float32 {
		panic(fmt.Sprintf("features: Measure: unknown format %d", f))
	}
	b, err := f.encode(nil, X, n, d)
	if err != nil {
		return Loss{}, fmt.Errorf("features: Measure: %w", err)
	}
	l := Loss{Bytes: len(b)}
	var lo, step []float32
	if f == Bytes {
		if lo, step, err = decodeTable(b, d); err != nil {
			return Loss{}, fmt.Errorf("features: Measure: %w", err)
		}
	}
	Y := make([]float32, n*d)
	f.decode(Y, b[f.tableLen(d):], d, lo, step)
	mean := make([]float64, d)
	for k, v := range X {
		mean[k%d] += float64(v) / float64(n)
	}
	var spread float64
	for k, v := range X {
		e := float64(Y[k]) - float64(v)
		l.Largest = math.Max(l.Largest, math.Abs(e))
		l.RMS += e * e
		c := float64(v) - mean[k%d]
		spread += c * c
	}
	if spread > 0 {
		l.Relative = math.Sqrt(l.RMS / spread)
	}
	l.RMS = math.Sqrt(l.RMS / float64(n*d))
	return l, nil
}
