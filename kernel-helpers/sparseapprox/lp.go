package sparseapprox

import (
	"math"

	"overcomplete/kernel-helpers/ended"
)

// shrinkLp returns the v that minimizes ½(v − t)² + λ|v|^p, 0 < p < 1.
//
// Away from 0 the derivative v − |t| + λp v^(p−1) (for v > 0) is convex in v, so it has at most two roots; the larger
// root is the local minimum. The objective there is below its value at 0 exactly when |t| exceeds
//
//	τ = v₀ + λp v₀^(p−1),  v₀ = (2λ(1−p))^(1/(2−p)),
//
// where v₀ is the smallest possible nonzero minimum. Newton's method, started at |t|, descends to the larger root
// without overshooting.
//
// Source: Zuo, Meng, Zhang, Feng and Zhang, A generalized iterated shrinkage
// algorithm for non-convex sparse coding, ICCV 2013, (10) to (12).
func shrinkLp(t, lambda, p float64) float64 {
	v0 := math.Pow(2*lambda*(1-p), 1/(2-p))
	a := math.Abs(t)
	if a <= v0+lambda*p*math.Pow(v0, p-1) {
		return 0
	}
	v := a
	for range 50 {
		b := lambda * p * math.Pow(v, p-1)
		d := (v - a + b) / (1 + (p-1)*b/v)
		v -= d
		if math.Abs(d) <= 1e-15*v {
			break
		}
	}
	return math.Copysign(max(v, v0), t)
}

// descendLp runs coordinate descent for Lp. Every step moves one coefficient to its global minimum, so the objective
// never rises. descendLp ends at a w that no change to a single coefficient improves. The result depends on where it
// starts: at the given w, or, if that is 0, at the L1 solution for the same λ.
func (k *work) descendLp() ended.Status {
	c := k.coder
	n, p, lambda := c.n, c.opt.P, c.lambda
	cold := true
	for _, v := range k.w {
		cold = cold && v == 0
	}
	if cold {
		if s := k.descend(); s == ended.IterationLimit || s == ended.Interrupted {
			return s
		}
	}
	k.recorrelate(k.q)
	full := true // sweep all atoms, or only the nonzeros
	for {
		change, top := 0.0, 0.0
		for j := range n {
			g := c.g[j*n+j]
			if g == 0 || !full && k.w[j] == 0 {
				continue
			}
			if j%256 == 0 && k.isOver() {
				return ended.Interrupted
			}
			old := k.w[j]
			v := shrinkLp(old+k.q[j]/g, lambda/g, p)
			top = max(top, math.Abs(v))
			if v != old {
				k.w[j] = v
				axpy(old-v, c.gram(j), k.q)
				change = max(change, math.Abs(v-old))
			}
		}
		k.iterations++
		if math.IsNaN(change) {
			return ended.NoProgress // overflow
		}
		small := change <= c.opt.Tolerance*top
		if small && full {
			return ended.LocalMinimum
		}
		if k.isOver() {
			return ended.Interrupted
		}
		if k.iterations >= c.opt.MaxIterations {
			return ended.IterationLimit
		}
		full = small
	}
}
