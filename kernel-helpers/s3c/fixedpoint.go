package s3c

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/product"
)

// A fixedPoint holds the state of Algorithm 1 in float64, for all patches at once. When ctx is done, its methods
// return early, and Q must not be used any more.
type fixedPoint struct {
	ctx   context.Context
	m     *Model
	v     *mat.Dense // n×D
	q     *Posterior
	w     []float64  // w_i = W_i'βW_i (N)
	h     *mat.Dense // ĥ (n×N)
	hs, p *mat.Dense // ĥ∘ŝ and (v − W(ĥ∘ŝ))'βW, n×N
	r     *mat.Dense // β(v − W(ĥ∘ŝ)), n×D
}

func newFixedPoint(ctx context.Context, m *Model, v *mat.Dense, q *Posterior) *fixedPoint {
	n, d := v.Dims()
	_, N := m.Dims()
	return &fixedPoint{ctx, m, v, q, m.weights(), mat.NewDense(n, N, nil), mat.NewDense(n, N, nil), mat.NewDense(n, N, nil), mat.NewDense(n, d, nil)}
}

// project computes p_i = (v − Σ_j W_j ĥ_j ŝ_j)'βW_i, with all units in the sum.
func (e *fixedPoint) project() {
	n, d := e.v.Dims()
	for k := 0; k < n && e.ctx.Err() == nil; k++ {
		h, hs := e.h.RawRowView(k), e.hs.RawRowView(k)
		s := e.q.S.RawRowView(k)
		for i, t := range e.q.Logit.RawRowView(k) {
			h[i] = sigmoid(t)
			hs[i] = h[i] * s[i]
		}
	}
	product.Mul(e.ctx, e.r, e.hs, e.m.W.T()) // (n×N)(N×D)
	for k := range n {
		v, r := e.v.RawRowView(k), e.r.RawRowView(k)
		for i := range d {
			r[i] = e.m.beta(i) * (v[i] - r[i])
		}
	}
	product.Mul(e.ctx, e.p, e.r, e.m.W) // (n×D)(D×N)
}

// slab updates ŝ: the optimum of each unit, clipped and damped. The paper's sums leave out unit i, but p includes it;
// therefore w_i ĥ_i ŝ_i is added.
func (e *fixedPoint) slab(eta, rho float64) {
	e.project()
	n, _ := e.v.Dims()
	for k := 0; k < n && e.ctx.Err() == nil; k++ {
		s, p, hs := e.q.S.RawRowView(k), e.p.RawRowView(k), e.hs.RawRowView(k)
		for i, old := range s {
			best := (e.m.Mu[i]*e.m.Alpha[i] + p[i] + e.w[i]*hs[i]) / (e.m.Alpha[i] + e.w[i])
			s[i] = eta*clip(best, old, rho) + (1-eta)*old
		}
	}
}

// clip returns the value best, except if the signs of best and old are opposite: then the absolute value of the result
// is at most rho·|old|. If old is 0, there is no limit.
func clip(best, old, rho float64) float64 {
	if (best < 0 && old > 0 || best > 0 && old < 0) && math.Abs(best) > rho*math.Abs(old) {
		return math.Copysign(rho*math.Abs(old), best)
	}
	return best
}

// spike updates ĥ, using the new ŝ.
func (e *fixedPoint) spike(eta float64) {
	e.project()
	n, _ := e.v.Dims()
	for k := 0; k < n && e.ctx.Err() == nil; k++ {
		t, s, p, hs := e.q.Logit.RawRowView(k), e.q.S.RawRowView(k), e.p.RawRowView(k), e.hs.RawRowView(k)
		for i, old := range t {
			best := e.m.bestLogit(i, s[i], p[i]+e.w[i]*hs[i], e.w[i])
			t[i] = dampLogit(eta, best, old)
		}
	}
}

// bestLogit returns the logit of ĥ*_i, which is the argument of σ in Algorithm 1, for unit i with ŝ_i = s and w_i = w.
// p is W_i'β(v − Σ_{j≠i} W_j ĥ_j ŝ_j).
func (m *Model) bestLogit(i int, s, p, w float64) float64 {
	e := s - m.Mu[i]
	return s*p - 0.5*w*s*s + m.Bias[i] - 0.5*m.Alpha[i]*e*e - 0.5*math.Log1p(w/m.Alpha[i])
}
