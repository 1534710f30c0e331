package nmfgrad

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A support is the system of equations for the free entries 𝓕 of U and W, the entries whose multiplier is 0:
//
//	F = (∂f/∂(U, W))_𝓕 = 0,   f = ½‖A − UW'‖²,   J = H_𝓕𝓕,                    (2)
//
// where H is the Hessian of f in (U, W). A support implements implicit.Condition, with the data A as the parameter. The
// entries that are not free stay zero under small changes to A, because their multipliers are positive. J is symmetric.
type support struct {
	c     *KKT
	index []int // indices of the free entries in (U, W), row by row, U first
	pre   *blocks
}

func newSupport(c *KKT, freeU, freeW []bool, precondition bool) *support {
	s := &support{c: c}
	free := append(append([]bool(nil), freeU...), freeW...)
	for t, f := range free {
		if f {
			s.index = append(s.index, t)
		}
	}
	if precondition {
		// The diagonal blocks of H are (W'W)_SS for a row of U, (U'U)_SS for one of W.
		var g mat.Dense
		g.Mul(c.W.T(), c.W)
		s.pre = newBlocks(&g, freeU, true)
		g.Mul(c.U.T(), c.U)
		w := newBlocks(&g, freeW, true)
		end := s.pre.from[len(s.pre.from)-1]
		for _, from := range w.from[1:] {
			s.pre.from = append(s.pre.from, end+from)
		}
		s.pre.factor = append(s.pre.factor, w.factor...)
	}
	return s
}

// spread returns (U, W) with the free entries from v and zeros elsewhere.
func (s *support) spread(v []float64) (u, w *mat.Dense) {
	n, d, k := s.c.sizes()
	x := make([]float64, (n+d)*k)
	for i, t := range s.index {
		x[t] = v[i]
	}
	return mat.NewDense(n, k, x[:n*k]), mat.NewDense(d, k, x[n*k:])
}

// gather stores the free entries of (u, w) in dst.
func (s *support) gather(dst []float64, u, w *mat.Dense) {
	a, b := u.RawMatrix().Data, w.RawMatrix().Data
	for i, t := range s.index {
		if t < len(a) {
			dst[i] = a[t]
		} else {
			dst[i] = b[t-len(a)]
		}
	}
}

// Dims implements implicit.Condition.
func (s *support) Dims() (sol, args int) {
	n, d, _ := s.c.sizes()
	return len(s.index), n * d
}

// SolJVP implements implicit.Condition.
func (s *support) SolJVP(dst, v []float64) { s.solJVP(context.Background(), dst, v) }

// solJVP is SolJVP with a context. If ctx is done, dst is unfinished.
func (s *support) solJVP(ctx context.Context, dst, v []float64) {
	n, d, k := s.c.sizes()
	p, q := s.spread(v)
	hu, hw := mat.NewDense(n, k, nil), mat.NewDense(d, k, nil)
	hessian(ctx, hu, hw, s.c.U, s.c.W, s.c.R, p, q)
	s.gather(dst, hu, hw)
}

// SolVJP implements implicit.Condition. It equals SolJVP because a Hessian is symmetric.
func (s *support) SolVJP(dst, v []float64) { s.SolJVP(dst, v) }

// ArgsJVP implements implicit.Condition. For v = dA (n×d), it stores the free entries of −(dA W, dA'U) in dst.
func (s *support) ArgsJVP(dst, v []float64) {
	n, d, _ := s.c.sizes()
	da := mat.NewDense(n, d, v)
	var u, w mat.Dense
	u.Mul(da, s.c.W)
	w.Mul(da.T(), s.c.U)
	s.gather(dst, &u, &w)
	for i, x := range dst {
		dst[i] = -x
	}
}

// ArgsVJP implements implicit.Condition. It stores −(P W' + U Q') (n×d) in dst, where (P, Q) has v in its free entries
// and zeros elsewhere.
func (s *support) ArgsVJP(dst, v []float64) {
	n, d, _ := s.c.sizes()
	p, q := s.spread(v)
	outer(mat.NewDense(n, d, dst), p, q, s.c.U, s.c.W)
	for i, x := range dst {
		dst[i] = -x
	}
}

// A preconditionedSystem is the matrix L⁻¹ Π H Π L'⁻¹ on the free entries, an operator for the solvers of package
// implicit. It is symmetric, as H is. L is the Cholesky factor of the diagonal blocks of H, so these blocks become
// identity matrices; without a preconditioner L = I.
//
// Π is the orthogonal projector onto the complement of the null directions z_j = (u_j, −w_j). At an exact solution Π
// changes nothing. Elsewhere H z_j = −(Ū_j, −W̄_j) is small but not zero, and the curvature along z_j may be negative:
// without Π, conjugate gradients would stop there.
//
// Once the context is done, all products are NaN, which stops every solver.
type preconditionedSystem struct {
	ctx context.Context
	s   *support
}

func (p preconditionedSystem) Dim() int { return len(p.s.index) }

func (p preconditionedSystem) Apply(dst, v []float64) {
	if p.ctx.Err() != nil {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return
	}
	x := append([]float64(nil), v...)
	if p.s.pre != nil {
		p.s.pre.solveUpper(x)
	}
	p.s.project(x)
	p.s.solJVP(p.ctx, dst, x)
	p.s.project(dst)
	if p.s.pre != nil {
		p.s.pre.solveLower(dst)
	}
}

func (p preconditionedSystem) ApplyT(dst, v []float64) { p.Apply(dst, v) }

// project removes the components of x along the null directions z_j, which are orthogonal to each other: it replaces x
// by Πx = x − Σ_j z_j z_j'x/z_j'z_j. The entry with index t in (U, W) belongs to component t mod k.
func (s *support) project(x []float64) {
	n, _, k := s.c.sizes()
	u, w := s.c.U.RawMatrix().Data, s.c.W.RawMatrix().Data
	zx, zz := make([]float64, k), make([]float64, k)
	z := func(t int) float64 {
		if t < n*k {
			return u[t]
		}
		return -w[t-n*k]
	}
	for i, t := range s.index {
		v := z(t)
		zx[t%k] += v * x[i]
		zz[t%k] += v * v
	}
	for i, t := range s.index {
		x[i] -= z(t) * zx[t%k] / zz[t%k]
	}
}
