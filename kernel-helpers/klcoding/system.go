package klcoding

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/vector"
)

// ranks holds the parts of the dual's Hessian that are the same for all steps and signals. system.dual uses them to
// build a Hessian from fewer columns.
//
//	H = I + B diag(c) B'/λ,   c >= c⁰,   c⁰ = 2p if doubled, else 0.
//
// A column is insignificant if c_j <= (1 + δ)c⁰_j + δλ/β, where β = ‖B‖₂². Its c_j is replaced by m_j, the midpoint
// between c⁰_j and this bound:
//
//	H~ = I + Σ_significant (c_j − m_j) B_j B_j'/λ + B diag(m) B'/λ,
//	m = (1 + δ/2)c⁰ + δλ/2β.
//
// The c of an insignificant column is then off by at most δ/2 (c⁰_j + λ/β). In total,
//
//	|H − H~| <= δ/2 (B diag(c⁰) B'/λ + BB'/β) <= δ/2 (H − I + I) = δ/2 H
//
// as quadratic forms, because BB' <= β I and B diag(c⁰)B'/λ <= H − I. For a quadratic function, a step with H~ instead
// of H leaves at most δ/(2 − δ) of the distance to the minimum, in the norm of H.
type ranks struct {
	base []float64 // D×D: B diag(c⁰) B'/λ, 0 if plain
	gram []float64 // D×D: BB'/β
	c0   []float64 // n
	beta float64
}

func newRanks(c *Coder) ranks {
	d, n := c.d, c.n
	r := ranks{base: make([]float64, d*d), gram: make([]float64, d*d), c0: make([]float64, n)}
	b := mat.NewDense(n, d, append([]float64(nil), c.bt.Data...))
	outer := func(to []float64) {
		blas64.Syrk(blas.Trans, 1, b.RawMatrix(), 0, blas64.Symmetric{N: d, Stride: d, Data: to, Uplo: blas.Upper})
	}
	outer(r.gram)
	var e mat.EigenSym
	if e.Factorize(mat.NewSymDense(d, append([]float64(nil), r.gram...)), false) {
		r.beta = e.Values(nil)[d-1] * (1 + 1e-9)
	}
	if !(r.beta > 0) { // B = 0, or no eigenvalues: the trace is a bound too
		for i := range d {
			r.beta += r.gram[i*d+i]
		}
		r.beta = max(r.beta, math.SmallestNonzeroFloat64)
	}
	for i := range r.gram {
		r.gram[i] /= r.beta
	}
	if c.opt.Doubled {
		for j, p := range c.opt.PVec {
			r.c0[j] = 2 * p
			s := math.Sqrt(2 * p / c.opt.Lambda)
			for i := range d {
				b.Set(j, i, b.At(j, i)*s)
			}
		}
		outer(r.base)
	}
	return r
}

// A system holds a positive definite matrix, its Cholesky factor and their buffers.
type system struct {
	a    blas64.Symmetric
	t    blas64.Triangular
	rows []float64
	used int // number of columns in the last H, for tests
}

func (s *system) size(m int) {
	if s.a.N != m {
		s.a = blas64.Symmetric{N: m, Stride: m, Data: make([]float64, m*m), Uplo: blas.Upper}
	}
}

// factor replaces the matrix a by its Cholesky factor, and reports whether that succeeded. All matrices here are I plus
// a positive semidefinite matrix, so only overflow can make it fail.
func (s *system) factor() (ok bool) {
	s.t, ok = lapack64.Potrf(s.a)
	return ok
}

// solve replaces b by a⁻¹b, where a is the matrix before factor replaced it.
func (s *system) solve(b []float64) {
	lapack64.Potrs(s.t, blas64.General{Rows: len(b), Cols: 1, Stride: 1, Data: b})
}

// dual computes H~ (D×D; see ranks) at c = cw (n) and factors it, and reports whether that succeeded. delta is the δ of
// ranks; if it is 0, dual uses H itself.
func (s *system) dual(c *Coder, cw []float64, delta float64) bool {
	d, lambda := c.d, c.opt.Lambda
	s.size(d)
	a := s.a.Data
	clear(a)
	var rank ranks
	if delta > 0 {
		rank = c.rank()
		p, q := 1+delta/2, delta/2
		for i, v := range rank.base {
			a[i] = p*v + q*rank.gram[i]
		}
	}
	for i := range d {
		a[i*d+i]++
	}
	if cap(s.rows) < c.n*d {
		s.rows = make([]float64, c.n*d)
	}
	// Rows √((c_j − m_j)/λ) B_j' of the significant columns, where c_j >= m_j.
	k := 0
	for j, u := range cw {
		if delta > 0 {
			c0 := rank.c0[j]
			if u <= (1+delta)*c0+delta*lambda/rank.beta {
				continue
			}
			u -= (1+delta/2)*c0 + delta/2*lambda/rank.beta
		}
		w := math.Sqrt(u / lambda)
		to := s.rows[k*d : (k+1)*d]
		for i, b := range c.column(j) {
			to[i] = w * b
		}
		k++
	}
	s.used = k
	if k > 0 {
		r := blas64.General{Rows: k, Cols: d, Stride: d, Data: s.rows[:k*d]}
		blas64.Syrk(blas.Trans, 1, r, 1, s.a)
	}
	return s.factor()
}

// primal computes K = I + diag(s) B'SB diag(s) (n×n) and factors it, and reports whether that succeeded. Here s =
// √(c/λ), and S = diag(f) − ff' is the Jacobian of softmax. primal stores s in the slice scale (n). B'SB is the
// covariance of the rows of B under the distribution f (D); to avoid cancellation, it is computed from the rows minus
// their mean B'f.
func (s *system) primal(c *Coder, f, cw, scale []float64) bool {
	d, n := c.d, c.n
	s.size(n)
	clear(s.a.Data)
	if cap(s.rows) < (n+1)*d {
		s.rows = make([]float64, (n+1)*d)
	}
	root := s.rows[n*d : (n+1)*d]
	for i, v := range f {
		root[i] = math.Sqrt(v)
	}
	for j, u := range cw {
		s.a.Data[j*n+j] = 1
		scale[j] = math.Sqrt(u / c.opt.Lambda)
		b := c.column(j)
		mean := vector.Dot(b, f)
		to := s.rows[j*d : (j+1)*d]
		for i, v := range b {
			to[i] = scale[j] * root[i] * (v - mean)
		}
	}
	blas64.Syrk(blas.NoTrans, 1, blas64.General{Rows: n, Cols: d, Stride: d, Data: s.rows[:n*d]}, 1, s.a)
	return s.factor()
}
