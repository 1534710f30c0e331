package klcoding

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"overcomplete/kernel-helpers/internal/vector"
)

// A newtonSystem is the linear system of a Newton step, and also that of the derivatives in VJP:
//
//	(I + sB'SBs) y = b,   s = √(c/λ),   S = diag(f) − ff'.
//
// It is solved by preconditioned conjugate gradients. Each iteration needs one product B'SB(s∘d), where d is the
// search direction; the caller computes it.
type newtonSystem struct {
	scale          []float64 // n: s
	solution       []float64 // n: y
	product        []float64 // n: B'SB(s∘y)
	residual       []float64 // n: b − (I + sB'SBs)y; set to b before start
	preconditioned []float64 // n: M⁻¹residual, M the preconditioner
	direction      []float64 // n: d
	size           float64   // residual'preconditioned
	goal           float64   // stop when size is at most this
	iterations     int
	limit          int // maximum number of iterations
	preconditioner preconditioner
}

func newNewtonSystem(n int) newtonSystem {
	v := func() []float64 { return make([]float64, n) }
	return newtonSystem{scale: v(), solution: v(), product: v(), residual: v(), preconditioned: v(), direction: v()}
}

// start prepares to solve the system for the right-hand side b, which the caller has stored in e.residual. It sets y =
// 0, and stores the first s∘d in u; the caller then computes B'SB(s∘d). The iterations end when the norm of the
// residual, divided by the norm of b, is at most the number share. Here the norm of a vector r is √(r'M⁻¹r), where M
// is the preconditioner.
func (e *newtonSystem) start(c *Coder, share float64, u []float64) {
	clear(e.solution)
	clear(e.product)
	e.preconditioner.factor(c, e.scale)
	copy(e.preconditioned, e.residual)
	e.preconditioner.solve(e.preconditioned)
	copy(e.direction, e.preconditioned)
	e.size = vector.Dot(e.residual, e.preconditioned)
	e.goal = share * share * e.size
	e.iterations, e.limit = 0, 10*c.n+100
	e.ask(u)
}

// ask stores s∘d in u; the caller must then compute B'SB(s∘d).
func (e *newtonSystem) ask(u []float64) {
	for j, s := range e.scale {
		u[j] = s * e.direction[j]
	}
}

// iterate performs one iteration with g = B'SB(s∘d). It reports whether another iteration is needed; if so,
// it stores the next s∘d in u.
func (e *newtonSystem) iterate(g, u []float64) bool {
	applied := e.preconditioned // (I + sB'SBs)d, in memory that is free until the new residual
	for j, s := range e.scale {
		applied[j] = e.direction[j] + s*g[j]
	}
	curvature := vector.Dot(e.direction, applied)
	if !(curvature > 0) {
		return false
	}
	alpha := e.size / curvature
	for j := range e.solution {
		e.solution[j] += alpha * e.direction[j]
		e.product[j] += alpha * g[j]
		e.residual[j] -= alpha * applied[j]
	}
	copy(e.preconditioned, e.residual)
	e.preconditioner.solve(e.preconditioned)
	size := vector.Dot(e.residual, e.preconditioned)
	if e.iterations++; !(size > e.goal) || e.iterations >= e.limit {
		return false
	}
	beta := size / e.size
	e.size = size
	for j, z := range e.preconditioned {
		e.direction[j] = z + beta*e.direction[j]
	}
	e.ask(u)
	return true
}

// A preconditioner approximates the matrix I + sB'SBs of a newtonSystem by I + sAs, where A = B'S⁰B is the same for
// all signals (see newTypical). It keeps only the columns j for which s_j²A_jj is not small; for the others it is the
// identity.
type preconditioner struct {
	at  []int // the columns that are kept
	t   blas64.Triangular
	a   []float64
	b   []float64
	use bool
}

const counts = 0.05

func (m *preconditioner) factor(c *Coder, s []float64) {
	m.at = m.at[:0]
	for j, v := range s {
		if v*v*c.typical[j*c.n+j] > counts {
			m.at = append(m.at, j)
		}
	}
	k := len(m.at)
	m.use = false
	if k == 0 {
		return
	}
	if cap(m.a) < k*k {
		m.a, m.b = make([]float64, k*k), make([]float64, c.n)
	}
	a := m.a[:k*k]
	for p, i := range m.at {
		row := c.typical[i*c.n : (i+1)*c.n]
		for q := p; q < k; q++ {
			a[p*k+q] = s[i] * s[m.at[q]] * row[m.at[q]]
		}
		a[p*k+p]++
	}
	m.t, m.use = lapack64.Potrf(blas64.Symmetric{N: k, Stride: k, Data: a, Uplo: blas.Upper})
}

func (m *preconditioner) solve(x []float64) {
	if !m.use {
		return
	}
	b := m.b[:len(m.at)]
	for p, j := range m.at {
		b[p] = x[j]
	}
	blas64.Trsv(blas.Trans, m.t, vector.Of(b))
	blas64.Trsv(blas.NoTrans, m.t, vector.Of(b))
	for p, j := range m.at {
		x[j] = b[p]
	}
}

// newTypical returns A = B'S⁰B (n×n), where S⁰ = diag(f⁰) − f⁰f⁰'. f⁰ (D) is Options.Typical. If that is nil, f⁰ is
// f(Bw) at w = p or, with Options.Doubled, at w = 0.
func newTypical(c *Coder) []float64 {
	n, d := c.n, c.d
	f := c.opt.Typical
	if f == nil {
		k := newWork(c, nil)
		c.mul(k.z, c.opt.PVec)
		if c.opt.Doubled {
			clear(k.z)
		}
		k.transfer()
		f = k.f
	}
	rows := make([]float64, n*d)
	for j := range n {
		b := c.column(j)
		mean := vector.Dot(b, f)
		for i, v := range b {
			rows[j*d+i] = math.Sqrt(f[i]) * (v - mean)
		}
	}
	a := make([]float64, n*n)
	blas64.Syrk(blas.NoTrans, 1, blas64.General{Rows: n, Cols: d, Stride: d, Data: rows}, 0,
		blas64.Symmetric{N: n, Stride: n, Data: a, Uplo: blas.Upper})
	return a
}
