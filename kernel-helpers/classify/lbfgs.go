package classify

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/lbfgs"
)

// A minimizer is L-BFGS with a line search for the strong Wolfe conditions (J. Nocedal and S. Wright, Numerical
// Optimization, 2nd ed., algorithms 7.5, 3.5 and 3.6). It is used instead of gonum's L-BFGS for two reasons: it can
// accept a step by its slope if the decrease is below the rounding error, and if the tolerance is too tight it ends
// with a status, not with a line search error.
type minimizer struct {
	memory    int     // number of pairs (s, y) that are kept
	steps     int     // maximum number of steps
	tolerance float64 // bound on max |gradient|
	// eval stores the gradient at x in g and returns the objective.
	eval func(x, g []float64) float64
	// For convergence, near must also return true. If near is nil, only the tolerance counts.
	near func(x, g []float64, f float64) bool
	// gmax returns the quantity that must not exceed the tolerance. nil means the largest absolute element of g.
	gmax func(g []float64) float64
	// each is called at the start and after each step.
	each func(step int, f, gmax float64)
	ctx  context.Context
}

type minimum struct {
	f, gmax     float64
	steps       int
	evaluations int
	status      ended.Status
	g           []float64 // the gradient
}

const (
	armijo    = 1e-4 // c1: sufficient decrease
	curvature = 0.9  // c2
)

// run minimizes, starting at x, and overwrites x with the result.
func (m *minimizer) run(x []float64) minimum {
	n := len(x)
	var res minimum
	eval := func(x, g []float64) float64 {
		res.evaluations++
		return m.eval(x, g)
	}
	g, p := make([]float64, n), make([]float64, n)
	xt, gt := make([]float64, n), make([]float64, n)
	gmax := m.gmax
	if gmax == nil {
		gmax = maxAbs
	}
	f := eval(x, g)
	past := lbfgs.New(m.memory, nil)
	// idle counts consecutive steps that lowered neither f (beyond rounding) nor the gradient.
	idle, lowest, gleast := 0, math.Inf(1), math.Inf(1)
	for ; ; res.steps++ {
		res.f, res.gmax, res.g = f, gmax(g), g
		m.each(res.steps, f, res.gmax)
		idle++
		own := maxAbs(g)
		if own < gleast || f < lowest-1e-14*math.Abs(f) {
			idle = 0
		}
		gleast, lowest = math.Min(gleast, own), math.Min(lowest, f)
		switch {
		case res.gmax <= m.tolerance && (m.near == nil || m.near(x, g, f)):
			res.status = ended.Converged
			return res
		case idle >= 10:
			res.status = ended.NoProgress
			return res
		case m.ctx.Err() != nil:
			res.status = ended.Interrupted
			return res
		case res.steps == m.steps:
			res.status = ended.IterationLimit
			return res
		}
		past.Direction(p, g)
		slope := floats.Dot(g, p)
		if !(slope < 0) { // the sign is lost to rounding
			past.Reset()
			past.Direction(p, g)
			slope = -floats.Dot(g, g)
		}
		t := 1.0
		if past.Len() == 0 {
			t = math.Min(1, 1/floats.Norm(g, 2))
		}
		ft, ok := m.line(eval, x, p, xt, gt, f, slope, t)
		if !ok {
			if past.Len() > 0 { // try again along −gradient
				past.Reset()
				continue
			}
			res.status = ended.NoProgress
			return res
		}
		if past.Len() == m.memory {
			past.Drop() // drop the oldest pair even if Keep rejects the new pair
		}
		s, y := past.Vector(n), past.Vector(n)
		floats.SubTo(s, xt, x)
		floats.SubTo(y, gt, g)
		past.Keep(s, y, 1e-16)
		copy(x, xt)
		g, gt = gt, g
		f = ft
	}
}

// line looks for a step length t at which f(x + tp) and its slope meet the strong Wolfe conditions. The argument t is
// the first length that it tries; f0 and slope0 are f and the slope at x. line stores the point x + tp in xt and the
// gradient there in gt, and returns f there. It returns false if the effect of every step is below the rounding error.
func (m *minimizer) line(eval func(x, g []float64) float64, x, p, xt, gt []float64, f0, slope0, t float64) (float64, bool) {
	// Differences of f below noise are meaningless. If differences are that small, the slope decides (W. Hager and H.
	// Zhang, SIAM J. Optimization 16 (2005): the approximate Wolfe condition).
	noise := 1e-13 * math.Abs(f0)
	at := func(t float64) (float64, float64) {
		floats.AddScaledTo(xt, x, t, p)
		f := eval(xt, gt)
		return f, floats.Dot(gt, p)
	}
	enough := func(t, f, slope float64) bool {
		return f <= f0+armijo*t*slope0 || f <= f0+noise && slope <= (2*armijo-1)*slope0
	}
	lo, flo, slo := 0.0, f0, slope0
	hi, fhi, shi := math.Inf(1), math.NaN(), math.NaN()
	for range 40 {
		f, slope := at(t)
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0) || !enough(t, f, slope) || lo > 0 && f > flo+noise:
			hi, fhi, shi = t, f, slope
		case math.Abs(slope) <= -curvature*slope0:
			return f, true
		case slope >= 0:
			hi, fhi, shi = t, f, slope
		default:
			lo, flo, slo = t, f, slope
		}
		if math.IsInf(hi, 1) {
			t *= 2
			continue
		}
		t = cubic(lo, flo, slo, hi, fhi, shi)
		if hi-lo <= 1e-15*hi {
			break
		}
	}
	if lo > 0 { // accept a decrease without the curvature condition
		f, _ := at(lo)
		return f, f < f0
	}
	return f0, false
}

// cubic returns the point where the cubic polynomial with the values fa, fb and the slopes sa, sb at a and b is
// smallest (Nocedal and Wright's equation 3.59). The result is at least a tenth of the interval away from both ends.
// If the formula has no finite value, cubic returns the middle of the interval.
func cubic(a, fa, sa, b, fb, sb float64) float64 {
	d1 := sa + sb - 3*(fa-fb)/(a-b)
	d2 := math.Sqrt(d1*d1 - sa*sb)
	t := b - (b-a)*(sb+d2-d1)/(sb-sa+2*d2)
	if math.IsNaN(t) || math.IsInf(t, 0) {
		return a + (b-a)/2
	}
	return math.Min(math.Max(t, a+0.1*(b-a)), b-0.1*(b-a))
}

func maxAbs(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = math.Max(m, math.Abs(v))
	}
	return m
}
