package symeig

import (
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
)

// A buffer is memory that several matrices use one after the other. It saves time because allocating a few megabytes
// costs as much as one or two passes over them.
type buffer []float64

// general returns an r×c matrix in the buffer. Its elements are not cleared. The next call of general reuses its
// memory.
func (b *buffer) general(r, c int) blas64.General {
	if len(*b) < r*c {
		*b = make([]float64, r*c)
	}
	return blas64.General{Rows: r, Cols: c, Stride: max(1, c), Data: (*b)[:r*c]}
}

// A scratch holds the buffers of merges and of applyReflectors.
type scratch struct{ up, down, rotation, y, ty, zy buffer }

// scratches keeps buffers from one decomposition to the next.
var scratches = sync.Pool{New: func() any { return new(scratch) }}
