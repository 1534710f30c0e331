package symeig

import "gonum.org/v1/gonum/blas/blas64"

// A buffer is memory that one matrix after the other uses: fresh memory of some megabytes
// costs as much as a pass over it or two.
type buffer []float64

// general returns a matrix of r×c numbers, not cleared, until the next one.
func (b *buffer) general(r, c int) blas64.General {
	if len(*b) < r*c {
		*b = make([]float64, r*c)
	}
	return blas64.General{Rows: r, Cols: c, Stride: max(1, c), Data: (*b)[:r*c]}
}

// A scratch is what merges need one after the other.
type scratch struct{ up, down, rotation buffer }
