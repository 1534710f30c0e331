package nnls

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// A set solves nonnegative least-squares problems that share G, one after the other. P is its guess of which variables
// are positive (the passive set of Lawson and Hanson); the other variables are 0.
type set struct {
	ctx   context.Context
	G     blas64.General
	in    []bool
	P     []int     // in ascending order
	L     []float64 // Cholesky factor of G_PP, |P|×|P|
	s, z  []float64 // k
	steps int       // number of factorizations
}

func newSet(ctx context.Context, G blas64.General) *set {
	k := G.Rows
	return &set{ctx: ctx, G: G, in: make([]bool, k), P: make([]int, 0, k), L: make([]float64, k*k), s: make([]float64, k), z: make([]float64, k)}
}

// leastSquares solves G_PP s_P = c_P and sets s to 0 elsewhere. It reports whether it found a solution: it returns
// false if the columns of P are dependent, up to rounding, or if the context is done.
func (s *set) leastSquares(c []float64) bool {
	s.steps++
	s.P = s.P[:0]
	for i, in := range s.in {
		s.s[i] = 0
		if in {
			s.P = append(s.P, i)
		}
	}
	n, g := len(s.P), s.G
	for a, i := range s.P {
		if s.ctx.Err() != nil {
			return false
		}
		La := s.L[a*n : a*n+n]
		for b, j := range s.P[:a+1] {
			Lb := s.L[b*n : b*n+n]
			v := g.Data[i*g.Stride+j]
			for q := range b {
				v -= La[q] * Lb[q]
			}
			if b < a {
				La[b] = v / Lb[b]
				continue
			}
			// v is the squared norm of column i after subtracting its projection onto the columns before it. If v is
			// below the rounding in G, it is meaningless.
			if !(v > 1e-14*float64(n)*g.Data[i*g.Stride+i]) {
				return false
			}
			La[a] = math.Sqrt(v)
		}
	}
	y := make([]float64, n)
	for a, i := range s.P { // L y = c_P
		v := c[i]
		for q := range a {
			v -= s.L[a*n+q] * y[q]
		}
		y[a] = v / s.L[a*n+a]
	}
	for a := n - 1; a >= 0; a-- { // L's = y
		v := y[a]
		for q := a + 1; q < n; q++ {
			v -= s.L[q*n+a] * y[q]
		}
		y[a] = v / s.L[a*n+a]
	}
	for a, i := range s.P {
		s.s[i] = y[a]
	}
	return true
}

// gradient stores G x − c in s.z. x must be 0 outside P.
func (s *set) gradient(c, x []float64) {
	for i := range s.z {
		v := -c[i]
		row := s.G.Data[i*s.G.Stride:]
		for _, j := range s.P {
			v += row[j] * x[j]
		}
		s.z[i] = v
	}
}

// lawsonHanson overwrites x with the solution for c, and reports whether it succeeded. Only rounding or the end of the
// context can make it fail; it gives up after 10k + 10 steps. The algorithm is NNLS (23.10) of C. L. Lawson and R. J.
// Hanson, Solving Least Squares Problems (1974), with G and c in place of A and b as in R. Bro and S. de Jong, J.
// Chemometrics 11 (1997).
func (s *set) lawsonHanson(c, x []float64) bool {
	k := len(c)
	unit := make([]float64, k)
	tol := 0.0
	for i := range k {
		x[i], s.in[i] = 0, false
		if g := s.G.Data[i*s.G.Stride+i]; g > 0 {
			unit[i] = 1 / math.Sqrt(g)
			tol = max(tol, math.Abs(c[i])*unit[i])
		}
	}
	tol *= 1e-13 * float64(k)
	s.P = s.P[:0]
	for range 10*k + 10 {
		if s.ctx.Err() != nil {
			return false
		}
		// Steps 2 to 5: of the zero variables with a column independent of those in P, choose the one with
		// the most negative gradient.
		s.gradient(c, x)
		for s.ctx.Err() == nil {
			t, best := -1, tol
			for i, z := range s.z {
				if d := -z * unit[i]; !s.in[i] && d > best {
					t, best = i, d
				}
			}
			if t < 0 {
				return true
			}
			s.in[t] = true
			if s.leastSquares(c) && s.s[t] > 0 {
				break
			}
			// Column t depends on the columns in P, or rounding alone made z_t negative.
			s.in[t] = false
			s.z[t] = 0
		}
		// Steps 6 to 11: move from x toward s as far as possible while x stays >= 0.
		for {
			alpha, first := 1.0, -1
			for _, i := range s.P {
				if s.s[i] <= 0 {
					if a := x[i] / (x[i] - s.s[i]); first < 0 || a < alpha {
						alpha, first = a, i
					}
				}
			}
			if first < 0 {
				break
			}
			for _, i := range s.P {
				x[i] += alpha * (s.s[i] - x[i])
				if i == first || x[i] <= 0 {
					x[i], s.in[i] = 0, false
				}
			}
			if !s.leastSquares(c) {
				return false // a subset of independent columns is independent
			}
		}
		copy(x, s.s)
	}
	return false
}
