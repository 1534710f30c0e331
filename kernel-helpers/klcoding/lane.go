package klcoding

import (
	"math"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/kernel-helpers/vmath"
)

// This file implements Method NewtonCG. logNewton spends most of its time on the Hessian, Dn² for each step
// of each signal. Conjugate gradients need only products with the Hessian. For many signals at once these are
// matrix products:
//
//	Z = U B'      m×n · n×D      u is a trial w, or a CG direction
//	G = Z B       m×D · D×n      z is f(Bw) − x, or SBu
//
// An evaluation of the objective and an iteration of CG both take one such round. So each of the m
// signals (lanes) of a crowd proceeds at its own speed, and a finished lane is reused for the next signal.
// Lanes do not affect each other.
//
// In each round, forward gets a lane's row of Z = UB'. Then backward gets the lane's row of G = ZB and
// computes the next row of U. What the rows contain depends on the phase:
//
//	phase        u      z = Bu becomes      backward gets        and goes on with
//	evaluating   w      f(Bw) − x           the gradient         search, or the CG
//	solving      s∘d    SB(s∘d)             B'SB(s∘d)            the CG
//	returning    a      SBa                 nothing useful       the end
//
// A lane that codes its signal makes Newton steps:
//
//	    begin
//	      |
//	      v                 the step was too long: half of it
//	+------------+ <-------------------------------------------.
//	| evaluating | --------------------------------------------'
//	+------------+ ----> done: converged, rounding, step limit or no descent
//	  |        ^
//	  | the    | the CG has ended:
//	  | point  | its direction, and the whole step
//	  | is     |
//	  | taken  |
//	  v        |
//	+------------+ <---------------.
//	|  solving   | ----------------'
//	+------------+  another iteration of the CG
//
// A lane that back-propagates goes through the phases once:
//
//	beginAdjoint -> evaluating -> solving -> returning -> done
//	                              |  ^  |
//	                              `--'  `--> done: a is NaN, an error

// lanes is the number of signals that share a product: enough to amortize reading B.
const lanes = 128

// laneSteps is the maximum number of steps of a lane. A signal that needs more (λ is then far too small for
// the signals) is handed over to logNewton.
const laneSteps = 50

// A phase says what a lane's vector u, the next one to be multiplied by B, contains; see the table above.
type phase int

const (
	evaluating phase = iota // u is w
	solving                 // u is s∘d
	returning               // u is a
)

// A lane is the state of one signal while it is coded, or while its derivatives are computed. The products of several
// lanes with B are computed together.
type lane struct {
	c      *Coder
	signal int // the signal's index

	// This signal's rows of the matrices that hold all signals, codes and so on. The vector a is the one in Coder.VJP.
	x       []float64 // D
	weights []float64 // n: receives ŵ; for the adjoint, holds dl/dw, then receives a
	misfit  []float64 // D: receives x − f (the adjoint: f − x)
	imageA  []float64 // D, adjoint only: receives Ba
	curvedA []float64 // D, adjoint only: receives SBa

	phase   phase
	adjoint bool // back-propagate instead of coding
	done    bool
	stuck   bool  // the line search found no descent
	err     error // of the adjoint
	outcome outcome
	watch   func(gradient float64, w []float64) // if not nil, called at each accepted point

	fit   []float64 // D: f(Bw) at the point that was evaluated last
	fit32 []float32 // D: instead of fit, for Options.Single

	trial    trialPoint
	accepted acceptedPoint
	search   lineSearch
	system   newtonSystem

	threshold float64 // gradient at which a signal has converged
	floor     float64 // size below which a gradient that no longer falls is taken for rounding error
}

// A trialPoint is a point where the objective is evaluated.
type trialPoint struct {
	v         []float64 // n
	w         []float64 // n: w(v)
	rate      []float64 // n: c = dw/dv
	objective float64
}

// An acceptedPoint is the start of a Newton step.
type acceptedPoint struct {
	v         []float64 // n
	gradient  []float64 // n: ∇ = B'(f − x) + λv, with respect to w
	objective float64
	largest   float64 // max |∇_j|
}

// A lineSearch is the state of the search for a step along the curve that the method setTrial follows.
type lineSearch struct {
	direction []float64 // n: Δv
	slope     float64   // of the objective at step 0
	step      float64   // t, 1 at first
	halvings  int       // how often step was halved; notSearching before the first step
}

// notSearching marks a lane's first point, which is accepted without a search.
const notSearching = -1

func newLane(c *Coder, single bool) *lane {
	l := &lane{c: c, system: newNewtonSystem(c.n)}
	if single {
		l.fit32 = make([]float32, c.d)
	} else {
		l.fit = make([]float64, c.d)
	}
	for _, p := range []*[]float64{&l.trial.v, &l.trial.w, &l.trial.rate, &l.accepted.v, &l.accepted.gradient, &l.search.direction} {
		*p = make([]float64, c.n)
	}
	return l
}

// startFrom sets the first point to v = B'r/λ, or to v = 0 if an element of B'r/λ is out of range.
func (l *lane) startFrom(r []float64) {
	v := l.trial.v
	l.c.mulT(v, 1/l.c.opt.Lambda, r)
	if !(largest(v) < l.c.link.vmax) {
		clear(v)
	}
}

// startAt sets the first point to the code w (n). It clips v to the range in which w does not overflow. If w is 0, it
// starts at v = 0.
func (l *lane) startAt(w []float64) {
	v, vmax := l.trial.v, l.c.link.vmax
	l.c.link.gradient(v, l.trial.rate, w)
	for j, u := range v {
		v[j] = max(-vmax, min(vmax, u))
	}
	if largest(w) == 0 {
		clear(v)
	}
}

// begin starts coding at the first point. It copies the point's w into u, the vector that the caller multiplies by B.
func (l *lane) begin(u []float64, k *work) {
	l.threshold, l.floor = k.threshold(l.x)
	if l.fit32 != nil {
		l.floor = 1e-6 * l.c.scale(l.x)
	}
	l.outcome, l.err = outcome{}, nil
	l.done, l.adjoint, l.stuck = false, false, false
	l.search.halvings = notSearching
	l.accepted.largest = math.Inf(1)
	l.evaluate(u)
}

// beginAdjoint begins solving for the vector a of Coder.VJP, at the code w (n). The caller has stored dl/dw in
// l.weights.
func (l *lane) beginAdjoint(u, w []float64) {
	copy(l.trial.w, w)
	l.c.link.gradient(l.trial.v, l.trial.rate, l.trial.w)
	l.err, l.done, l.adjoint = nil, false, true
	copy(u, l.trial.w)
	l.phase = evaluating
}

// evaluate computes w at the trial v, and copies w into u, the vector that the caller multiplies by B.
func (l *lane) evaluate(u []float64) {
	l.c.link.evaluate(l.trial.w, l.trial.rate, l.trial.v)
	copy(u, l.trial.w)
	l.phase = evaluating
}

// forward takes z = Bu (D) and overwrites it with the vector to multiply by B'.
func (l *lane) forward(z []float64) {
	switch l.phase {
	case evaluating:
		if o := l.c.opt.Offset; o != nil {
			for i, b := range o {
				z[i] += b
			}
		}
		vmath.Softmax(l.fit, z)
		top := 0
		for i, v := range z {
			if v > z[top] {
				top = i
			}
		}
		// log Σ e^z − x'z
		l.trial.objective = z[top] - math.Log(l.fit[top]) - vector.Dot(l.x, z)
		for i, f := range l.fit {
			z[i] = f - l.x[i]
		}
		if l.adjoint {
			copy(l.misfit, z)
		}
	case solving:
		l.jacobian(z)
	case returning:
		copy(l.imageA, z)
		l.jacobian(z)
		copy(l.curvedA, z)
	}
}

// jacobian replaces z by Sz, where S = diag(f) − ff' is the Jacobian of softmax at the last point that was evaluated.
func (l *lane) jacobian(z []float64) {
	mean := vector.Dot(l.fit, z)
	for i, f := range l.fit {
		z[i] = f * (z[i] - mean)
	}
}

// forward32 is like forward, for Options.Single.
func (l *lane) forward32(z []float32) {
	switch l.phase {
	case evaluating:
		if o := l.c.opt.Offset; o != nil {
			for i, b := range o {
				z[i] += float32(b)
			}
		}
		vmath.Softmax32(l.fit32, z)
		top, xz := 0, 0.0
		for i, v := range z {
			if v > z[top] {
				top = i
			}
			if x := l.x[i]; x != 0 {
				xz += x * float64(v)
			}
		}
		l.trial.objective = float64(z[top]) - math.Log(float64(l.fit32[top])) - xz
		for i, f := range l.fit32 {
			z[i] = f - float32(l.x[i])
		}
		if l.adjoint {
			widen(l.misfit, z)
		}
	case solving:
		l.jacobian32(z)
	case returning:
		widen(l.imageA, z)
		l.jacobian32(z)
		widen(l.curvedA, z)
	}
}

// jacobian32 replaces z by Sz, as jacobian does, for Options.Single.
func (l *lane) jacobian32(z []float32) {
	f := l.fit32[:len(z)]
	// Do not use blas32.Dot: its last bit depends on where z is in memory.
	var sum [4]float64
	i := 0
	for ; i+4 <= len(z); i += 4 {
		sum[0] += float64(f[i]) * float64(z[i])
		sum[1] += float64(f[i+1]) * float64(z[i+1])
		sum[2] += float64(f[i+2]) * float64(z[i+2])
		sum[3] += float64(f[i+3]) * float64(z[i+3])
	}
	for ; i < len(z); i++ {
		sum[0] += float64(f[i]) * float64(z[i])
	}
	mean := float32(sum[0] + sum[1] + sum[2] + sum[3])
	for i, u := range z {
		z[i] = f[i] * (u - mean)
	}
}

// backward takes g = B'z (n), where z is what forward stored. It either stores in u (n) the next vector to multiply by
// B, or ends the lane.
func (l *lane) backward(g, u []float64) {
	switch l.phase {
	case evaluating:
		if l.adjoint {
			l.solveAdjoint(u)
		} else {
			l.judge(g, u)
		}
	case solving:
		switch {
		case l.system.iterate(g, u):
		case l.adjoint:
			l.returnAdjoint(u)
		default:
			l.setDirection()
			l.setTrial()
			l.evaluate(u)
		}
	case returning:
		l.done = true
	}
}

// solveAdjoint starts the conjugate gradient iteration that solves for the vector a of Coder.VJP. The right-hand side
// is s∘dl/dw, with s = √(c/λ).
func (l *lane) solveAdjoint(u []float64) {
	e := &l.system
	for j, c := range l.trial.rate {
		e.scale[j] = math.Sqrt(c / l.c.opt.Lambda)
		e.residual[j] = e.scale[j] * l.weights[j]
	}
	e.start(l.c, max(1e-13, l.c.opt.Tolerance), u)
	l.phase = solving
}

// returnAdjoint stores a = s∘y in l.weights, where y is the solution of the conjugate gradients, and s = √(c/λ). It
// also copies a into u, the vector that the caller multiplies by B. If a is NaN, it ends the lane with an error
// instead.
func (l *lane) returnAdjoint(u []float64) {
	for j, s := range l.system.scale {
		l.weights[j] = s * l.system.solution[j]
	}
	if math.IsNaN(largest(l.weights)) {
		l.done, l.err = true, errSingular
		return
	}
	copy(u, l.weights)
	l.phase = returning
}

// judge decides what follows the evaluation of a trial point. If the objective has not fallen enough, it halves the
// step. Otherwise it accepts the point, and either ends the lane or starts the conjugate gradient iteration for the
// next step.
func (l *lane) judge(g, u []float64) {
	lambda := l.c.opt.Lambda
	l.trial.objective += lambda * l.c.link.value(l.trial.w, l.trial.rate, l.trial.v)
	if l.search.halvings != notSearching {
		if !l.descends() {
			l.halve(u)
			return
		}
		l.outcome.steps++
	}
	before := l.accepted.largest
	l.accept(g)
	last := l.accepted.largest
	switch {
	case last <= l.threshold:
		l.end(ended.Converged)
	case last <= l.floor && last >= before/2:
		l.end(ended.NoProgress)
	case l.outcome.steps >= min(laneSteps, l.c.opt.MaxIterations) || math.IsNaN(last):
		l.end(ended.IterationLimit)
	default:
		l.solveNewton(u)
	}
}

// descends reports whether the objective at the trial point has fallen enough, or is expected to fall by so little
// that rounding would hide it.
func (l *lane) descends() bool {
	gain := -l.search.step * l.search.slope
	// Smaller differences in the objective are rounding errors.
	noise := 1e-11
	if l.fit32 != nil {
		noise = 1e-6
	}
	sure := gain <= noise*(1+math.Abs(l.accepted.objective))
	return sure || l.trial.objective <= l.accepted.objective-1e-4*gain
}

// halve halves the step. After 60 halvings it goes back to the accepted point instead, and ends the lane.
func (l *lane) halve(u []float64) {
	if l.search.halvings++; l.search.halvings > 60 {
		copy(l.trial.v, l.accepted.v)
		l.c.link.evaluate(l.trial.w, l.trial.rate, l.trial.v)
		l.end(ended.NoProgress)
		l.stuck = true
		return
	}
	l.search.step /= 2
	l.setTrial()
	l.evaluate(u)
}

// accept turns the trial point into the start of the next step. g is B'(f − x) at the trial point.
func (l *lane) accept(g []float64) {
	p := &l.accepted
	p.objective = l.trial.objective
	copy(p.v, l.trial.v)
	for j, v := range p.v {
		p.gradient[j] = g[j] + l.c.opt.Lambda*v
	}
	p.largest = largest(p.gradient)
	l.outcome.gradient = p.largest
	if l.watch != nil {
		l.watch(p.largest, l.trial.w)
	}
}

// solveNewton starts the conjugate gradient iteration for a Newton step from the accepted point. The right-hand side is
// −s∘∇, with s = √(c/λ).
func (l *lane) solveNewton(u []float64) {
	lambda, last, e := l.c.opt.Lambda, l.accepted.largest, &l.system
	for j, c := range l.trial.rate {
		e.scale[j] = math.Sqrt(c / lambda)
		e.residual[j] = -e.scale[j] * l.accepted.gradient[j]
	}
	// Far from the minimum Newton's direction is only a guess, and a relative residual of 0.1 is enough. Near
	// the minimum, a step squares the error, which is last/λ in v. Accuracy beyond the threshold is useless.
	off := last / lambda
	share := min(0.1, max(1e-3, off)) * min(1, 10*off)
	e.start(l.c, max(share, 0.1*l.threshold/last, 1e-12), u)
	l.phase = solving
}

// end ends the lane with status s, and stores its result.
func (l *lane) end(s ended.Status) {
	l.outcome.status, l.done = s, true
	copy(l.weights, l.trial.w)
	for i, f := range l.fit32 {
		l.misfit[i] = l.x[i] - float64(f)
	}
	for i, f := range l.fit {
		l.misfit[i] = l.x[i] - f
	}
}

// setDirection sets Δv = Δw/c, where Δw = s∘y, s = √(c/λ), and y is the solution of the conjugate gradients. There are
// two formulas for Δv: y/(sλ), and −(∇ + B'SBΔw)/λ as in logNewton. If y were exact, they would agree; because of the
// residual of y, they differ by residual/(sλ).
//
// In the columns that the preconditioner keeps, s may be large. The second formula would multiply the residual by
// about s², so setDirection uses the first. In the other columns s is small. The first formula would divide the
// residual by s, so setDirection uses the second. If the result is not a direction of descent, setDirection sets Δv =
// −∇/λ.
func (l *lane) setDirection() {
	lambda, gradient, e := l.c.opt.Lambda, l.accepted.gradient, &l.system
	dv := l.search.direction
	for j := range dv {
		dv[j] = -(gradient[j] + e.product[j]) / lambda
	}
	for _, j := range e.preconditioner.at {
		dv[j] = e.solution[j] / (e.scale[j] * lambda)
	}
	slope := 0.0
	for j := range dv {
		slope += gradient[j] * l.trial.rate[j] * dv[j]
	}
	if !(slope < 0) { // the gradient's own direction always descends
		slope = 0
		for j, g := range gradient {
			dv[j] = -g / lambda
			slope += g * l.trial.rate[j] * dv[j]
		}
	}
	l.search.slope, l.search.step, l.search.halvings = slope, 1, 0
}

// setTrial sets the trial v to the end of a step of length t, on a curve that leaves the accepted v in the direction
// Δv. A shrinking weight moves linearly in v, to v + tΔv, so it never reaches 0. A growing weight moves linearly in v
// only while it is too light to matter, that is, while c A_jj <= λ, with A as in newTypical. The rest of its step is
// linear in w, because growth by e^(tΔv) would overshoot. If the first part covers s of tΔv, the new v is v + s +
// log(1 + tΔv − s). Options.Doubled has a similar formula.
func (l *lane) setTrial() {
	c, lambda := l.c, l.c.opt.Lambda
	for j, e := range l.search.direction {
		v, e := l.accepted.v[j], l.search.step*e
		switch light := lambda / (c.opt.PVec[j] * c.typical[j*c.n+j]); {
		case !c.opt.Doubled && e > 0:
			s := min(e, max(0, math.Log(light)-v))
			v += s + math.Log1p(e-s)
		case c.opt.Doubled && v*e >= 0:
			a, b := math.Abs(v), math.Abs(e)
			s := min(b, max(0, math.Acosh(max(1, light/2))-a))
			if a += s; a < 300 {
				a = math.Asinh(math.Sinh(a) + math.Cosh(a)*(b-s))
			} else {
				a += math.Log1p(b - s)
			}
			v = math.Copysign(a, v+e)
		default:
			v += e
		}
		v = min(c.link.vmax, v)
		if c.opt.Doubled {
			v = max(-c.link.vmax, v)
		}
		l.trial.v[j] = v
	}
}

// codeAlone codes one signal x in float64, without sharing products with other signals. It starts from the residual r,
// and stores the code in w and the final residual in r.
func (k *work) codeAlone(x, r, w []float64) outcome {
	start := append([]float64(nil), r...)
	c := k.c
	l := newLane(c, false)
	l.x, l.weights, l.misfit, l.watch = x, w, r, k.watch
	l.startFrom(r)
	u, g := make([]float64, c.n), make([]float64, c.n)
	for l.begin(u, k); !l.done && k.ctx.Err() == nil; {
		c.mul(k.z, u)
		l.forward(k.z)
		c.mulT(g, 1, k.z)
		l.backward(g, u)
	}
	return l.handOver(k, start)
}

// handOver returns a lane's outcome. If the lane ran out of steps or got stuck, handOver codes the signal again
// with logNewton, and returns logNewton's outcome. logNewton then starts from the given residual.
func (l *lane) handOver(k *work, start []float64) outcome {
	if !l.stuck && (l.outcome.status != ended.IterationLimit || l.outcome.steps < laneSteps || l.outcome.steps >= l.c.opt.MaxIterations) {
		return l.outcome
	}
	copy(l.misfit, start)
	return k.logNewton(l.x, l.misfit, l.weights)
}
