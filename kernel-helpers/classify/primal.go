package classify

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"overcomplete/kernel-helpers/ended"
)

// sweepsBefore returns how many sweeps of coordinate descent precede the second method: about as many as take the time
// of 3 steps of primal or 30 steps of interior, but at least 10 and at most 1000. So sweeps that do not help cost
// little more than the second method. A step forms Σ c_i x̃_i x̃_i', which takes d²/2 products per point. A sweep takes
// two products for each value that a point stores.
func sweepsBefore(x []point, d int, loss Loss) int {
	values := 0
	for i := range x {
		values += len(x[i].codes) + len(x[i].value)
	}
	steps := 3.0
	if loss == Hinge {
		steps = 30
	}
	const slower = 3 // a product of a sweep takes longer than one of the matrix
	sweeps := steps * float64(len(x)) * float64(d+1) * float64(d+1) / 2 / (2 * slower * float64(values+1))
	return int(math.Min(math.Max(sweeps, 10), 1000))
}

// primal minimizes P(w̃) for the squared hinge by Newton's method (O. Mangasarian, A finite Newton method for
// classification, Optim. Methods Softw. 17, 2002). P is quadratic as long as the same points have a nonzero loss,
// so about ten steps are enough. At each w̃ the point α_i = 2C s_i max(0, 1 − z_i'w̃) of the dual gives a lower
// bound.
//
// It returns ended.Converged if P(w̃) exceeds the largest dual value by at most t·P(w̃), where t is the smaller of
// smallGap and the option Gap. If ctx is done, it returns ended.Interrupted.
func (s *dualDescent) primal(ctx context.Context) ended.Status {
	n, d := len(s.y), len(s.w)
	bias := s.opt.BiasValue
	w := make([]float64, d+1)
	if p, _ := s.values(); p < s.zero() {
		copy(w, s.w)
		w[d] = s.b
	}
	times := func(out, w []float64) { // z_i'w̃
		for i := range out {
			out[i] = s.y[i] * (s.x[i].dot(w[:d]) + w[d]*bias)
		}
	}
	z, dz := make([]float64, n), make([]float64, n)
	times(z, w)
	for range 50 {
		var at []int
		var c []float64
		sum := make([]float64, d+1) // Σ α_i z_i
		for i := range n {
			s.alpha[i] = 0
			if m := 1 - z[i]; m > 0 && s.weight(i) > 0 {
				c = append(c, 2*s.opt.C*s.weight(i))
				s.alpha[i] = c[len(at)] * m
				at = append(at, i)
				s.x[i].addTo(sum[:d], s.alpha[i]*s.y[i])
				sum[d] += s.alpha[i] * s.y[i] * bias
			}
		}
		p, dual, top, bottom := floats.Dot(w, w)/2, -floats.Dot(sum, sum)/2, 0.0, 0.0
		for i, a := range s.alpha {
			if m := 1 - z[i]; s.weight(i) > 0 {
				_, D := s.bounds(i)
				p += s.opt.C * s.weight(i) * math.Max(0, m) * math.Max(0, m)
				dual += a - D/2*a*a
				if G := D*a - m; a > 0 {
					top, bottom = math.Max(top, G), math.Min(bottom, G)
				}
			}
		}
		s.history = append(s.history, top-bottom)
		within := math.Min(smallGap, s.opt.Gap) * p
		if p-dual <= within || math.IsNaN(p-dual) { // dual is exact but for rounding
			copy(s.w, sum)
			s.b = sum[d]
			s.bound = math.Max(s.bound, s.dualBound())
		}
		copy(s.w, w)
		s.b = w[d]
		if p-s.bound <= within {
			return ended.Converged
		}
		H := s.normal(ctx, at, c)
		if H == nil {
			return ended.Interrupted
		}
		g := make([]float64, d+1) // minus the gradient
		floats.SubTo(g, sum, w)
		slope := append([]float64{}, g...)
		step := solveScaled(H, g)
		if step == nil {
			return ended.NoProgress
		}
		down := floats.Dot(slope, step)
		times(dz, step)
		value := func(t float64) float64 { // P(w̃ + t·step)
			sum := 0.0
			for j, v := range w {
				v += t * step[j]
				sum += v * v / 2
			}
			for i := range n {
				if m := 1 - z[i] - t*dz[i]; m > 0 {
					sum += s.opt.C * s.weight(i) * m * m
				}
			}
			return sum
		}
		t := 1.0
		for ; value(t) > p-1e-4*t*down; t /= 2 {
			if t < 1e-10 {
				return ended.NoProgress
			}
		}
		floats.AddScaled(w, t, step)
		times(z, w) // rather than z + t·dz, so that rounding errors do not add up
	}
	return ended.IterationLimit
}
