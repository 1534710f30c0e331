package sparseapprox

import (
	"math"
	"slices"

	"overcomplete/kernel-helpers/ended"
)

// featureSign runs algorithm 1 of Lee, Battle, Raina and Ng, Efficient sparse coding algorithms, NIPS 19 (2007), with
// their γ = 2λ. The steps are numbered as in the paper.
//
// Two things are not in the paper. An atom in the span of the active atoms replaces one of them (exchange), so that
// the linear system of step 3 is always solvable. And for w >= 0 the line search ends at the first coefficient that
// reaches 0.
//
// With a warm start, the nonzeros of w are the first active set.
func (k *work) featureSign() ended.Status {
	c, s := k.coder, &k.sup
	s.reset() // step 1
	for j, v := range k.w {
		if v != 0 && !s.add(c, j, sign(v)) {
			s.exchange(c, j, sign(v), k.w)
		}
	}
	best, since := math.Inf(1), 0
	for fresh := len(s.p) == 0; ; k.iterations++ {
		k.recorrelate(k.q)
		obj, gap := k.gap()
		if gap <= c.opt.Tolerance*obj {
			return ended.Converged
		}
		if since++; obj < best {
			best, since = obj, 0
		}
		if since > patience {
			return ended.NoProgress
		}
		if k.isOver() {
			return ended.Interrupted
		}
		if k.iterations >= c.opt.MaxIterations {
			return ended.IterationLimit
		}
		if fresh { // step 2: activate the worst violator
			j := k.largest()
			if j < 0 {
				return ended.NoProgress
			}
			if !s.add(c, j, sign(k.q[j])) {
				s.exchange(c, j, sign(k.q[j]), k.w)
				k.recorrelate(k.q)
			}
		}
		fresh = k.featureStep() // steps 3 and 4: condition (a) holds if all signs do
	}
}

// featureStep performs the feature-sign step. With the signs θ of the active set P, it computes
//
//	w_new = G_PP⁻¹ (c_P − λθ)
//
// On the segment from w to w_new, it then moves w to the point with the lowest objective among w_new and the points
// where a coefficient becomes 0. It reports whether that point is w_new and all signs are as assumed.
func (k *work) featureStep() bool {
	s, lambda := &k.sup, k.coder.lambda
	to := s.target(k.c, lambda)
	m := len(s.p)
	w, d := resize(&k.sw, m), resize(&k.sq, m)
	slope, curve := 0.0, 0.0 // of ½‖x − B(w + td)‖² at t = 0
	ts := []float64{1}
	for i, j := range s.p {
		w[i] = k.w[j]
		d[i] = to[i] - w[i]
		slope -= k.q[j] * d[i]
		curve += d[i] * (k.q[j] - lambda*s.sign[i]) // (Gd)_P = (c − λθ) − (c − q)
		if w[i] != 0 && to[i]*w[i] < 0 {
			ts = append(ts, w[i]/(w[i]-to[i]))
		}
	}
	if k.coder.nonneg && len(ts) > 1 {
		ts = []float64{slices.Min(ts)}
	}
	best, low := 1.0, math.Inf(1)
	for _, t := range ts {
		l1 := 0.0
		for i := range w {
			l1 += math.Abs(w[i] + t*d[i])
		}
		if f := t*slope + 0.5*t*t*curve + lambda*l1; f < low {
			best, low = t, f
		}
	}
	whole := best == 1 && len(ts) == 1
	// Store w + td, and remove the zeros from P.
	axpy(best, d, w)
	for i := m - 1; i >= 0; i-- {
		j, old := s.p[i], k.w[s.p[i]]
		if old != 0 && to[i]*old < 0 && old/(old-to[i]) == best {
			w[i] = 0
		}
		if best == 1 {
			w[i] = to[i]
		}
		if k.coder.nonneg && w[i] < 0 {
			w[i] = 0
		}
		k.w[j] = w[i]
		if w[i] == 0 {
			s.remove(i)
			continue
		}
		if sign(w[i]) != s.sign[i] {
			s.sign[i], whole = sign(w[i]), false
		}
	}
	return whole
}
