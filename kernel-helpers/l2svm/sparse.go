package l2svm

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"overcomplete/kernel-helpers/csr"
)

// Sparse returns the rows of a sparse matrix as Points. Products skip the zeros, so the time of a step is proportional
// to the number of nonzeros. The products are in float64. The function Dense returns the same Points if it is given a
// *csr.Matrix.
func Sparse(M *csr.Matrix) Points {
	if M == nil {
		panic("l2svm: Sparse: the matrix is nil")
	}
	return &sparsePoints{M}
}

type sparsePoints struct{ *csr.Matrix }

func (s *sparsePoints) Read(dst []float32, from, to int) error {
	_, d := s.Dims()
	clear(dst[:(to-from)*d])
	for i := from; i < to; i++ {
		col, val := s.View(i)
		for p, j := range col {
			dst[(i-from)*d+int(j)] = float32(val[p])
		}
	}
	return nil
}

func (s *sparsePoints) Read64(dst []float64, from, to int) error {
	_, d := s.Dims()
	clear(dst[:(to-from)*d])
	for i := from; i < to; i++ {
		col, val := s.View(i)
		for p, j := range col {
			dst[(i-from)*d+int(j)] = val[p]
		}
	}
	return nil
}

// timesSparse is like times, for sparse points: X̂p = X(p/σ) − 1 μ'(p/σ).
func (a *design) timesSparse(X *csr.Matrix, V, P [][]float64) error {
	n, d := X.Dims()
	Q := len(P)
	U := gather(P, d) // d×Q
	shift := make([]float64, Q)
	for j := range d {
		for q := range Q {
			U.Data[j*Q+q] /= a.scale.SD[j]
			shift[q] -= a.scale.Mean[j] * U.Data[j*Q+q]
		}
	}
	for q, p := range P {
		shift[q] += p[d]
	}
	return inLanes(n, func(_, from, end int) error {
		z := make([]float64, Q)
		for i := from; i < end; i++ {
			if i%1024 == 0 && a.ctx.Err() != nil {
				return a.ctx.Err()
			}
			copy(z, shift)
			col, val := X.View(i)
			for p, j := range col {
				floats.AddScaled(z, val[p], U.Data[int(j)*Q:][:Q])
			}
			for q, v := range z {
				V[q][i] = v
			}
		}
		return nil
	})
}

// transposedTimesSparse is like transposedTimes, for sparse points: X̂'r = (X'r − μ 1'r)/σ.
func (a *design) transposedTimesSparse(X *csr.Matrix, G, R [][]float64) error {
	n, d := X.Dims()
	Q := len(R)
	var sums [lanes][]float64 // d×Q each
	err := inLanes(n, func(lane, from, end int) error {
		s, r := make([]float64, d*Q), make([]float64, Q)
		for i := from; i < end; i++ {
			if i%1024 == 0 && a.ctx.Err() != nil {
				return a.ctx.Err()
			}
			for q := range Q {
				r[q] = R[q][i]
			}
			col, val := X.View(i)
			for p, j := range col {
				floats.AddScaled(s[int(j)*Q:][:Q], val[p], r)
			}
		}
		sums[lane] = s
		return nil
	})
	if err != nil {
		return err
	}
	for q, g := range G {
		clear(g)
		for _, s := range sums {
			if s == nil {
				continue
			}
			for j := range d {
				g[j] += s[j*Q+q]
			}
		}
		g[d] = floats.Sum(R[q])
		for j := range d {
			g[j] = (g[j] - a.scale.Mean[j]*g[d]) / a.scale.SD[j]
		}
	}
	return nil
}

// transposedWords returns the error message for n points of d features with a wrong number of labels. If there are d
// labels, the message asks whether X is transposed.
func transposedWords(n, d, labels int) string {
	if labels == d {
		return fmt.Sprintf("%d labels for %d points of %d features: a point is a ROW, want %d×%d: is X transposed?", labels, n, d, d, n)
	}
	return fmt.Sprintf("%d labels for %d points", labels, n)
}
