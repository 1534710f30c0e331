package klcoding

import (
	"math"

	"overcomplete/kernel-helpers/ended"
)

// Footnote 4 of the paper: if more than 0.6 of the steps were backtracking steps, α is lowered by 10 %; if
// fewer than 0.3 were, α is raised by 10 %. The paper does not say how many steps are counted; here the last
// 10 are.
const (
	egdWindow = 10
	egdLower  = 0.6
	egdRaise  = 0.3
)

// egd runs the paper's exponentiated gradient descent,
//
//	w_j ← w_j exp(−α ∂L/∂w_j)   (5),   ∂L/∂w = B'(f(Bw) − x) + λ log(w/p)   (6),
//
// in v = log(w/p): v ← v − α∂L/∂w. A step that does not lower L is undone and tried again with half the length.
// This does not change α for later steps; only adapt changes α.
//
// On the doubled basis [−B B], the gradients with respect to w⁺ and w⁻ are ±B'(f − x) + λ log(w±/p). At the start
// log(w⁺/p) = −log(w⁻/p), and every step preserves this. So egd stores only v = log(w⁺/p), and computes w = w⁺ − w⁻
// from it.
func (k *work) egd(x, r, w []float64) outcome {
	c, lambda := k.c, k.c.opt.Lambda
	threshold, floor := k.threshold(x)
	c.mulT(k.v, 1/lambda, r)
	if !(largest(k.v) < c.link.vmax) {
		clear(k.v)
	}
	c.link.evaluate(w, k.cw, k.v)
	c.mul(k.z, w)
	last := k.gradient(x, k.v)
	objective := k.loss(x) + lambda*c.link.value(w, k.cw, k.v)

	alpha := c.opt.Alpha
	best, since := last, 0
	trials, back := 0, 0 // in this window
	finish := func(s ended.Status, steps int) outcome {
		c.mul(k.z, w)
		k.transfer()
		k.residual(r, x)
		return outcome{s, steps, last}
	}
	if k.watch != nil {
		k.watch(last, w)
	}
	for step := 0; ; {
		switch {
		case last <= threshold:
			return finish(ended.Converged, step)
		case last <= floor && since > 500:
			return finish(ended.NoProgress, step)
		}
		// k.g holds (6) at v; dw keeps it while trials overwrite k.g.
		copy(k.dw, k.g)
		for s, halved := alpha, 0; ; s, halved = s/2, halved+1 {
			if step == c.opt.MaxIterations || step%64 == 0 && k.ctx.Err() != nil {
				return finish(ended.IterationLimit, step)
			}
			step++
			for j, g := range k.dw {
				k.tv[j] = k.v[j] - s*g
			}
			ok := false
			var f, gradient float64
			if largest(k.tv) < c.link.vmax || !c.link.doubled && highest(k.tv) < c.link.vmax {
				c.link.evaluate(k.tw, k.tc, k.tv)
				c.mul(k.z, k.tw)
				gradient = k.gradient(x, k.tv)
				f = k.loss(x) + lambda*c.link.value(k.tw, k.tc, k.tv)
				ok = k.isLower(objective, f, w)
			}
			trials++
			if !ok {
				back++
			}
			if trials == egdWindow {
				alpha = adapt(alpha, back, trials)
				trials, back = 0, 0
			}
			if ok {
				copy(k.v, k.tv)
				copy(w, k.tw)
				objective, last = f, gradient
				break
			}
			if halved == 60 {
				return finish(ended.NoProgress, step)
			}
		}
		since++
		if last < 0.99*best {
			best, since = last, 0
		}
		if k.watch != nil {
			k.watch(last, w)
		}
	}
}

// adapt returns the new α by the rule of footnote 4. trials is the number of trial steps, and rejects is the number of
// those that were undone.
func adapt(alpha float64, rejects, trials int) float64 {
	switch ratio := float64(rejects) / float64(trials); {
	case ratio > egdLower:
		return alpha * 0.9
	case ratio < egdRaise:
		return alpha * 1.1
	}
	return alpha
}

// isLower reports whether the objective L is lower at the trial point tw than at w. objective is L(w), f is L(tw), and
// the field g holds ∇L(tw). If rounding hides the difference, isLower uses a bound that holds because L is convex:
// L(tw) <= L(w) + ∇L(tw)'(tw − w).
func (k *work) isLower(objective, f float64, w []float64) bool {
	// An overflow proves nothing. Without this check the rule below would treat an infinite f as a
	// difference hidden by rounding.
	if math.IsNaN(f) || math.IsInf(f, 1) {
		return false
	}
	if d := objective - f; math.Abs(d) > 1e-10*(math.Abs(f)+math.Abs(objective)) {
		return d > 0
	}
	var t float64
	for j, v := range k.tw {
		t += k.g[j] * (v - w[j])
	}
	return t <= 0
}

func highest(a []float64) float64 {
	t := math.Inf(-1)
	for _, v := range a {
		t = max(t, v)
	}
	return t
}
