package sparseapprox

import (
	"math"

	"overcomplete/kernel-helpers/ended"
)

// lars follows the lasso path from λ_0 = max_j |c_j|, where w = 0, down to the requested λ.
func (k *work) lars() ended.Status {
	clear(k.w)
	status := k.homotopy(k.coder.lambda, nil)
	k.recorrelate(k.q)
	if obj, gap := k.gap(); status == ended.Converged && !(gap <= k.coder.opt.Tolerance*obj) {
		return ended.NoProgress
	}
	return status
}

// homotopy follows the path down to lambda. If knot is not nil, homotopy calls knot(λ) at every knot of the path; at
// that time w is the solution for this λ. At the start w must be 0.
//
// With the active set P and its signs θ, w_P(λ) = G_PP⁻¹(c_P − λθ) is linear in λ. Let λ fall by γ. With u = G_PP⁻¹θ
// and a = G_·P u (n),
//
//	w_P grows by γu,  q falls by γa,  and |q_j| = λ − γ still holds on P.
//
// The next knot is at λ − γ for the smallest γ >= 0 with which
//
//	an atom joins:   q_j − γa_j = ±(λ − γ)  for a j outside P, or
//	an atom leaves:  w_i + γu_i = 0         for an i in P.
//
// An atom in the span of P cannot join, because G_PP would become singular; it is set aside until an atom leaves. At
// each knot w_P is recomputed, so that errors do not accumulate.
//
// Sources: Osborne, Presnell and Turlach, A new approach to variable selection in least squares problems, IMA J.
// Numer. Anal. 20 (2000); Efron, Hastie, Johnstone and Tibshirani, Least angle regression, Ann. Stat. 32 (2004),
// section 3.1.
func (k *work) homotopy(lambda float64, knot func(lambda float64)) ended.Status {
	c, s := k.coder, &k.sup
	s.reset()
	for j := range k.in {
		k.in[j] = false // true if the atom is in P, or is set aside
	}
	copy(k.q, k.c)
	at, first := 0.0, -1 // at is the current λ
	for j, v := range k.c {
		if r := c.reach(v); r > at {
			at, first = r, j
		}
	}
	if first < 0 {
		return ended.Converged // w = 0 for every λ, because c = 0, or because all c <= 0 and w >= 0 is required
	}
	if knot != nil {
		knot(at)
	}
	if at <= lambda {
		return ended.Converged
	}
	if !s.add(c, first, sign(k.c[first])) {
		return ended.NoProgress
	}
	k.in[first] = true
	u, a := k.v1, k.v2
	// After an atom leaves at a knot, its q moves inside ±λ. The atom may rejoin with the opposite sign, but not with
	// the sign that it had.
	left, leftSign := -1, 0.0
	for {
		k.iterations++
		m := len(s.p)
		copy(u[:m], s.sign)
		s.f.solve(u[:m])
		clear(a)
		for i, j := range s.p {
			axpy(u[i], c.gram(j), a)
		}
		gamma, join, joinSign, leave := at-lambda, -1, 0.0, -1
		for j, q := range k.q {
			if k.in[j] {
				continue
			}
			// λ can reach |q_j| only if λ falls faster than |q_j|.
			const slower = 1 - 1e-10
			if a[j] < slower && !(j == left && leftSign > 0) {
				if t := max(0, (at-q)/(1-a[j])); t < gamma {
					gamma, join, joinSign = t, j, 1
				}
			}
			if a[j] > -slower && !c.nonneg && !(j == left && leftSign < 0) {
				if t := max(0, (at+q)/(1+a[j])); t < gamma {
					gamma, join, joinSign = t, j, -1
				}
			}
		}
		for i, j := range s.p {
			if u[i]*s.sign[i] < 0 {
				if t := max(0, -k.w[j]/u[i]); t < gamma {
					gamma, leave = t, i
				}
			}
		}
		at -= gamma
		for i, v := range s.target(k.c, at) {
			if v*s.sign[i] < 0 { // rounding near 0
				v = 0
			}
			k.w[s.p[i]] = v
		}
		axpy(-gamma, a, k.q)
		left = -1
		switch {
		case leave >= 0:
			left, leftSign = s.p[leave], s.sign[leave]
			k.w[left] = 0
			s.remove(leave)
			clear(k.in)
			for _, j := range s.p {
				k.in[j] = true
			}
		case join >= 0:
			k.in[join] = true
			s.add(c, join, joinSign) // or set the atom aside
		}
		if knot != nil {
			knot(at)
		}
		if leave < 0 && join < 0 {
			return ended.Converged // λ is reached
		}
		if len(s.p) == 0 {
			// P can be empty only because of rounding errors: some q_j = ±λ > 0 means that an atom is active.
			return ended.NoProgress
		}
		if k.isOver() {
			return ended.Interrupted
		}
		if k.iterations >= c.opt.MaxIterations {
			return ended.IterationLimit
		}
		if math.IsNaN(at) {
			return ended.NoProgress
		}
	}
}
