package l2svm

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/parallel"
)

const (
	gramRows = 512  // rows of a tile of K
	gramCols = 1024 // features summed in float32
)

// newGramSpace computes K = X̂X̂' (n×n) tile by tile, from points standardized in float32. It sums the products of up
// to gramCols features in float32, and adds these sums in float64. Each tile is computed independently of the others,
// so K does not depend on the number of goroutines.
func newGramSpace(a *design) (*gramSpace, error) {
	n, d := a.X.Dims()
	if err := ram.Check(fmt.Sprintf("the Gram matrix of %d points", n), 8*float64(n)*float64(n)); err != nil {
		return nil, fmt.Errorf("l2svm: %w: set Method to Primal", err)
	}
	K := make([]float64, n*n)
	tiles := (n + gramRows - 1) / gramRows
	mean, inverse := make([]float32, d), make([]float32, d)
	for j := range d {
		mean[j], inverse[j] = float32(a.scale.Mean[j]), float32(1/a.scale.SD[j])
	}
	read := func(x []float32, from, to int) error {
		if err := a.X.Read(x[:(to-from)*d], from, to); err != nil {
			return err
		}
		for i := range to - from {
			row := x[i*d : (i+1)*d]
			for j, v := range row {
				row[j] = (v - mean[j]) * inverse[j]
			}
		}
		return nil
	}
	span := func(t int) (from, to int) { return t * gramRows, min(n, (t+1)*gramRows) }
	var mu sync.Mutex
	var first error
	type buffers struct{ y, tile []float32 }
	pool := sync.Pool{New: func() any {
		rows := min(n, gramRows)
		return &buffers{make([]float32, rows*d), make([]float32, rows*rows)}
	}}
	for I := range tiles {
		i0, i1 := span(I)
		x := make([]float32, (i1-i0)*d)
		if err := read(x, i0, i1); err != nil {
			return nil, err
		}
		parallel.Do(I+1, 0, func(J int) {
			b := pool.Get().(*buffers)
			defer pool.Put(b)
			j0, j1 := span(J)
			y := x
			err := a.ctx.Err()
			if err == nil && J < I {
				y = b.y
				err = read(y, j0, j1)
			}
			if err != nil {
				mu.Lock()
				first = err
				mu.Unlock()
				return
			}
			m, w := i1-i0, j1-j0
			tile := b.tile[:m*w]
			for c := 0; c < d; c += gramCols {
				k := min(gramCols, d-c)
				blas32.Gemm(blas.NoTrans, blas.Trans, 1, blas32.General{Rows: m, Cols: k, Stride: d, Data: x[c:]},
					blas32.General{Rows: w, Cols: k, Stride: d, Data: y[c:]}, 0, general(tile, m, w)) // (m×k)(k×w)
				for i := range m {
					row := K[(i0+i)*n+j0 : (i0+i)*n+j1]
					for j := range row {
						row[j] += float64(tile[i*w+j])
					}
				}
			}
		})
		if first != nil {
			return nil, first
		}
	}
	for i := range n { // a sum of squares: not finite if the point is not
		if !finite.Is(K[i*n+i]) {
			return nil, a.nonFiniteError()
		}
	}
	for i := range n { // only the lower triangle is used, also within diagonal tiles
		for j := range i {
			K[j*n+i] = K[i*n+j]
		}
	}
	return &gramSpace{n, K}, nil
}
