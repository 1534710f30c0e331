package l2svm

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
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
