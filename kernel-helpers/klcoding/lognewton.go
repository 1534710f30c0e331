package klcoding

import "overcomplete/kernel-helpers/internal/vector"
import "overcomplete/kernel-helpers/ended"

// logNewton minimizes (2) for softmax. Usually B has more rows (D) than columns (n). Then the primal problem, with n
// unknowns, is smaller than the dual, with D unknowns. Newton's direction
//
//	(B'SB + λ diag(1/c)) Δw = −∇,   S = diag(f) − ff',
//
// gives a straight step in v = log(w/p) (doubled: arcsinh(w/2p)): Δv = Δw/c. So w stays positive, and the prior's
// gradient λv is linear along the step. In w the step is a curve; its tangent at the start is Δw, a direction of
// descent, so backtracking terminates. (For the squared loss the same step is Newton's step on the dual; see doc.go.)
func (k *work) logNewton(x, r, w []float64) outcome {
	c, lambda := k.c, k.c.opt.Lambda
	threshold, floor := k.threshold(x)
	last := 0.0
	// at moves to k.v and returns the objective there.
	at := func() float64 {
		c.link.evaluate(w, k.cw, k.v)
		c.mul(k.z, w)
		gradient := k.gradient(x, k.v)
		last = gradient
		return k.loss(x) + lambda*c.link.value(w, k.cw, k.v)
	}
	c.mulT(k.v, 1/lambda, r)
	if !(largest(k.v) < c.link.vmax) {
		clear(k.v)
	}
	objective := at()
	before := last * 4
	for step := 0; ; step++ {
		if k.watch != nil {
			k.watch(last, w)
		}
		end := ended.Unknown
		switch {
		case last <= threshold:
			end = ended.Converged
		case last <= floor && last >= before/2:
			end = ended.NoProgress
		case step == c.opt.MaxIterations || k.ctx.Err() != nil:
			end = ended.IterationLimit
		}
		if end != ended.Unknown {
			k.residual(r, x)
			return outcome{end, step, last}
		}
		before = last

		if !k.sys.primal(c, k.f, k.cw, k.h) { // h = s = √(c/λ)
			k.residual(r, x)
			return outcome{ended.NoProgress, step, last}
		}
		// In y = Δw/s: (I + sB'SBs) y = −s∇, n×n · n.
		for j, s := range k.h {
			k.dw[j] = -s * k.g[j]
		}
		k.sys.solve(k.dw)
		for j, s := range k.h {
			k.dw[j] *= s
		}
		slope := vector.Dot(k.g, k.dw)
		// Δv = −(∇ + B'SBΔw)/λ: the same as Δw/c, but without a division by tiny c.
		c.mul(k.q, k.dw)
		mean, wide := vector.Dot(k.f, k.q), 0.0
		for i, f := range k.f {
			wide = max(wide, k.q[i]-mean, mean-k.q[i])
			k.q[i] = f * (k.q[i] - mean)
		}
		c.mulT(k.dv, 1, k.q)
		for j := range k.dv {
			k.dv[j] = -(k.g[j] + k.dv[j]) / lambda
		}

		t := c.link.room(k.v, k.dv, 1)
		copy(k.tv, k.v)
		sure := largest(k.dv) <= near && wide <= near
		for try := 0; ; try++ {
			for j, d := range k.dv {
				k.v[j] = k.tv[j] + t*d
			}
			f := at()
			if sure || f <= objective+1e-4*t*slope {
				objective = f
				break
			}
			if try == 60 {
				copy(k.v, k.tv)
				at()
				k.residual(r, x)
				return outcome{ended.NoProgress, step, last}
			}
			t /= 2
		}
	}
}
