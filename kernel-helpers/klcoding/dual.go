package klcoding

import (
	"math"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/vector"
)

// near is the largest change of v for which the line search is skipped. In such a step, c changes by less than a factor
// of e^near = 1.28, and so does the curvature. So the slope is smaller at the end of a full step than at its start.
const near = 0.25

// dual minimizes, over r (D),
//
//	g(r) = ½‖r‖² − x'r + λ Σ_j φ*(B_j'r/λ),   φ*(v) = p eᵛ, doubled 2p cosh v,
//	∇g = r − x + Bw(v),   H = I + B diag(c(v)) B'/λ,   v = B'r/λ,
//
// by Newton's method with a line search. B'∇g is the gradient (6) at w(v). step is the number of steps
// already taken.
func (k *work) dual(x, r, w []float64, step int) outcome {
	c, lambda := k.c, k.c.opt.Lambda
	threshold, floor := k.threshold(x)
	scale := c.scale(x)
	c.mulT(k.v, 1/lambda, r)
	if !(largest(k.v) < c.link.vmax) { // a start where w overflows
		clear(r)
		clear(k.v)
	}
	last := math.Inf(1)
	for ; ; step++ {
		c.link.evaluate(w, k.cw, k.v)
		c.mul(k.z, w)
		for i, z := range k.z {
			k.q[i] = r[i] - x[i] + z // ∇g, D
		}
		// The gradient (6) is B'q; its largest element is at most this:
		bound := c.longest * norm(k.q)
		end := ended.Unknown
		switch {
		case bound <= threshold:
			end = ended.Converged
		case bound <= floor && bound >= last/2:
			end = ended.NoProgress
		case step == c.opt.MaxIterations || k.ctx.Err() != nil:
			end = ended.IterationLimit
		}
		last = bound
		if end != ended.Unknown || k.watch != nil {
			c.mulT(k.g, 1, k.q)
			gradient := largest(k.g)
			if k.watch != nil {
				k.watch(gradient, w)
			}
			if end != ended.Unknown {
				if gradient <= threshold {
					end = ended.Converged
				}
				return outcome{end, step, gradient}
			}
		}

		// δ falls with the gradient, so that convergence stays faster than linear.
		delta := min(0.5, math.Sqrt(bound/scale))
		if bound <= floor || c.whole {
			delta = 0
		}
		copy(k.dr, k.q)
		if !k.sys.dual(c, k.cw, delta) {
			return outcome{ended.NoProgress, step, bound}
		}
		k.sys.solve(k.dr)
		for i := range k.dr {
			k.dr[i] = -k.dr[i] // Δr = −H⁻¹∇g, D
		}
		c.mulT(k.dv, 1/lambda, k.dr) // Δv = B'Δr/λ, n
		t := 1.0
		if !(largest(k.dv) <= near) {
			if t, _ = k.search(x, r); t == 0 {
				return outcome{ended.NoProgress, step, bound}
			}
		}
		for i := range r {
			r[i] += t * k.dr[i]
		}
		c.mulT(k.v, 1/lambda, r)
	}
}

// search returns a t at which the slope of g(r + tΔr) is at most half as steep as at t = 0, or the largest t at which
// w does not overflow. g is convex, so its value is not needed, and the slope
//
//	Δr'(r − x) + t‖Δr‖² + λ Σ_j w_j(v + tΔv) Δv_j
//
// needs no product with B. If rounding hides every such t, search returns the largest t at which it found g still
// falling, or 0. tried is the last t that was evaluated; the fields tw and tc hold w and c at this t.
func (k *work) search(x, r []float64) (t, tried float64) {
	lambda := k.c.opt.Lambda
	var a0 float64
	for i, d := range k.dr {
		a0 += d * (r[i] - x[i])
	}
	a1 := vector.Dot(k.dr, k.dr)
	slope := func(t float64) float64 {
		tried = t
		for j, d := range k.dv {
			k.tv[j] = k.v[j] + t*d
		}
		k.c.link.evaluate(k.tw, k.tc, k.tv)
		s := a0 + t*a1 + lambda*vector.Dot(k.tw, k.dv)
		if math.IsNaN(s) {
			return math.Inf(1) // only from an overflow, which is beyond the minimum
		}
		return s
	}
	goal := -vector.Dot(k.q, k.dr) / 2
	if !(goal > 0) || math.IsInf(goal, 1) {
		return 0, 0
	}
	limit := k.c.link.room(k.v, k.dv, 1e6)
	lo, hi := 0.0, math.Inf(1)
	t = min(1, limit)
	for range 100 {
		s := slope(t)
		switch {
		case math.Abs(s) <= goal:
			return t, tried
		case s > 0:
			hi = t
			t = (lo + hi) / 2
		case math.IsInf(hi, 1): // still falling steeply
			if t == limit {
				return t, tried
			}
			lo = t
			t = min(2*t, limit)
		default:
			lo = t
			t = (lo + hi) / 2
		}
	}
	return lo, tried
}
