package l2svm

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/parallel"
)

// A space is the representation of the vectors (w, b) that L-BFGS works on. There are two spaces, with the same steps:
//
//	primal   w itself (d numbers), then b
//	gram     w = X̂'β as β and Kβ (n numbers each), then b, with K = X̂X̂' (n×n)
//
// If training starts at w = 0, all gradients and steps of w are combinations of points, so β is enough. Each vector
// carries its own Kβ, so scores and inner products need no product with K.
type space interface {
	size() int
	// scores stores the scores of all points under each vector of P.
	scores(V, P [][]float64) error
	// adjoint stores Σ_i r_i (x̂_i, 1) for each vector r of R.
	adjoint(G, R [][]float64) error
	// dot returns the inner product of the w of two vectors.
	dot(a, b []float64) float64
}

// inner returns the inner product of two vectors (w, b).
func inner(s space, a, b []float64) float64 {
	k := s.size() - 1
	return s.dot(a, b) + a[k]*b[k]
}

type primalSpace struct{ design }

func (s *primalSpace) size() int {
	_, d := s.X.Dims()
	return d + 1
}
func (s *primalSpace) scores(V, P [][]float64) error  { return s.times(V, P) }
func (s *primalSpace) adjoint(G, R [][]float64) error { return s.transposedTimes(G, R) }
func (s *primalSpace) dot(a, b []float64) float64     { return floats.Dot(a[:len(a)-1], b[:len(b)-1]) }

type gramSpace struct {
	n int
	K []float64 // n×n
}

func (s *gramSpace) size() int { return 2*s.n + 1 }

func (s *gramSpace) scores(V, P [][]float64) error {
	for q, p := range P {
		b := p[2*s.n]
		for i, v := range p[s.n : 2*s.n] {
			V[q][i] = v + b
		}
	}
	return nil
}

func (s *gramSpace) adjoint(G, R [][]float64) error {
	n, Q := s.n, len(R)
	r := make([]float64, n*Q)
	for q := range Q {
		for i, v := range R[q] {
			r[i*Q+q] = v
		}
	}
	kr := make([]float64, n*Q)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, blas64.General{Rows: n, Cols: n, Stride: n, Data: s.K},
		blas64.General{Rows: n, Cols: Q, Stride: Q, Data: r}, 0, blas64.General{Rows: n, Cols: Q, Stride: Q, Data: kr}) // (n×n)(n×Q)
	for q := range Q {
		g := G[q]
		copy(g, R[q])
		for i := range n {
			g[n+i] = kr[i*Q+q]
		}
		g[2*n] = floats.Sum(R[q])
	}
	return nil
}

func (s *gramSpace) dot(a, b []float64) float64 { return floats.Dot(a[:s.n], b[s.n:2*s.n]) }

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
