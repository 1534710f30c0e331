package s3c

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/product"
)

// conjugate maximizes the energy over ŝ with ĥ fixed. The energy is quadratic in ŝ:
//
//	−∂²F/∂ŝ² = diag(ĥ) W'βW diag(ĥ) + diag(ĥ(w(1−ĥ) + α)).
//
// The Hessian is never formed: multiplying it by a vector takes two products with W. If ĥ is sparse, the Hessian is
// ill-conditioned. Therefore the unknown is y = √ĥ ŝ, and the system is
//
//	A y = √ĥ(W'βv + αμ),  A = √ĥ W'βW √ĥ + diag(w(1−ĥ) + α).
//
// The systems of all patches are solved together, each with its own step length in each step. conjugate returns the
// number of steps.
func (e *fixedPoint) conjugate(tolerance float64, most int) int {
	n, d := e.v.Dims()
	_, N := e.m.Dims()
	root, diagonal := mat.NewDense(n, N, nil), mat.NewDense(n, N, nil)
	for k := range n {
		g, a := root.RawRowView(k), diagonal.RawRowView(k)
		for i, t := range e.q.Logit.RawRowView(k) {
			g[i] = math.Sqrt(sigmoid(t))
			a[i] = e.w[i]*sigmoid(-t) + e.m.Alpha[i]
		}
	}
	apply := func(dst, y *mat.Dense) {
		if e.ctx.Err() != nil {
			return
		}
		e.hs.MulElem(root, y)
		product.Mul(e.ctx, e.r, e.hs, e.m.W.T()) // (n×N)(N×D)
		for k := range n {
			r := e.r.RawRowView(k)
			for i := range d {
				r[i] *= e.m.beta(i)
			}
		}
		product.Mul(e.ctx, dst, e.r, e.m.W) // (n×D)(D×N)
		dst.MulElem(dst, root)
		e.hs.MulElem(diagonal, y)
		dst.Add(dst, e.hs)
	}
	// y = √ĥ ŝ, residual = right side − A y.
	y, residual, p, q := mat.NewDense(n, N, nil), mat.NewDense(n, N, nil), mat.NewDense(n, N, nil), mat.NewDense(n, N, nil)
	y.MulElem(root, e.q.S)
	for k := range n {
		r, v := e.r.RawRowView(k), e.v.RawRowView(k)
		for i := range d {
			r[i] = e.m.beta(i) * v[i]
		}
	}
	product.Mul(e.ctx, residual, e.r, e.m.W)
	target, rr := make([]float64, n), make([]float64, n)
	for k := range n {
		b, g := residual.RawRowView(k), root.RawRowView(k)
		for i := range b {
			b[i] = g[i] * (b[i] + e.m.Alpha[i]*e.m.Mu[i])
		}
		target[k] = tolerance * floats.Norm(b, 2)
	}
	apply(q, y)
	if e.ctx.Err() != nil {
		return 0
	}
	residual.Sub(residual, q)
	p.Copy(residual)
	for k := range n {
		rr[k] = floats.Dot(residual.RawRowView(k), residual.RawRowView(k))
	}
	steps := 0
	for steps < most && e.ctx.Err() == nil {
		going := false
		for k := range n {
			if math.Sqrt(rr[k]) <= target[k] {
				clear(p.RawRowView(k)) // this patch is done and takes no further step
				continue
			}
			going = true
		}
		if !going {
			break
		}
		apply(q, p)
		if e.ctx.Err() != nil {
			return steps
		}
		for k := range n {
			pk, qk := p.RawRowView(k), q.RawRowView(k)
			curvature := floats.Dot(pk, qk)
			if curvature == 0 {
				continue
			}
			a := rr[k] / curvature
			floats.AddScaled(y.RawRowView(k), a, pk)
			r := residual.RawRowView(k)
			floats.AddScaled(r, -a, qk)
			old := rr[k]
			rr[k] = floats.Dot(r, r)
			for i, v := range r {
				pk[i] = v + rr[k]/old*pk[i]
			}
		}
		steps++
	}
	// If ĥ is tiny, ŝ = y/√ĥ loses its digits. So ŝ is computed from its stationarity condition, αŝ + w(1−ĥ)ŝ = W'β(v −
	// Wm) + αμ, which gives the same number at the solution.
	for k := range n {
		r, g, s := residual.RawRowView(k), root.RawRowView(k), e.q.S.RawRowView(k)
		yk := y.RawRowView(k)
		for i := range s {
			if g[i] > 1e-3 {
				s[i] = yk[i] / g[i]
			}
			r[i] = yk[i] * g[i] // ĥ ŝ
		}
	}
	product.Mul(e.ctx, e.r, residual, e.m.W.T())
	for k := range n {
		v, r := e.v.RawRowView(k), e.r.RawRowView(k)
		for i := range d {
			r[i] = e.m.beta(i) * (v[i] - r[i])
		}
	}
	product.Mul(e.ctx, e.p, e.r, e.m.W)
	for k := range n {
		g, s, pk, a := root.RawRowView(k), e.q.S.RawRowView(k), e.p.RawRowView(k), diagonal.RawRowView(k)
		for i := range s {
			if g[i] <= 1e-3 {
				s[i] = (pk[i] + e.m.Alpha[i]*e.m.Mu[i]) / a[i]
			}
		}
	}
	return steps
}
