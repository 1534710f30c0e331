package s3c

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

// A Method is an algorithm by which Infer finds Q.
type Method int

const (
	// FixedPoint is Algorithm 1.
	FixedPoint Method = iota
	// ConjugateGradient alternates between maximizing the energy over ŝ by conjugate gradients, and updating ĥ with
	// damping. It is the method that Algorithm 1 replaces.
	ConjugateGradient
	// Coordinate sets one unit at a time to its exact optimum, so the energy never falls. It is slow and intended for
	// comparison.
	Coordinate
)

// String returns the name of the method.
func (m Method) String() string {
	names := [...]string{"FixedPoint", "ConjugateGradient", "Coordinate"}
	if m < 0 || int(m) >= len(names) {
		return fmt.Sprintf("Method(%d)", int(m))
	}
	return names[m]
}

// InferOptions are the options of Infer. The zero value is Algorithm 1 as published.
type InferOptions struct {
	Method Method
	// Schedule holds the damping and the number of updates of FixedPoint. ConjugateGradient uses only the damping of ĥ;
	// each of its updates computes ŝ by conjugate gradients, and then ĥ. For Coordinate, the number of updates is the
	// maximum number of sweeps. An empty Schedule means DefaultSchedule or, for Coordinate, at most 1000 sweeps.
	Schedule Schedule
	// For ConjugateGradient, Tolerance is the relative residual of each system. For Coordinate, sweeps end
	// when no change exceeds Tolerance. A change of a logit from t to t' counts as |t' − t|/(1 + |t'|). A change of a
	// slab counts in the same way, after the slab has been divided by its standard deviation 1/√γ_i. 0 means 1e-10.
	Tolerance float64
	// CGSteps is the maximum number of conjugate gradient steps in one update. 0 means 100.
	CGSteps int
	// Init is the Q at which Infer starts. nil means Prior. Init is not modified.
	Init *Posterior
	// Trace requests the mean energy before and after each update.
	Trace bool
}

// An Inference holds what Infer found.
type Inference struct {
	Q *Posterior
	// Energy is the energy of each patch.
	Energy []float64
	// Trace is the mean energy at the start and after each update. It is nil unless InferOptions.Trace is
	// set.
	Trace []float64
	// Updates is the number of updates, and CGSteps is the number of conjugate-gradient steps.
	Updates, CGSteps int
	// Status is Done or, if Coordinate met the tolerance for all patches, Converged. It is IterationLimit if Infer
	// also returned an error.
	Status ended.Status
}

// String returns a one-line summary.
func (r *Inference) String() string {
	return fmt.Sprintf("S3C's inference: %d updates, %d steps of conjugate gradients (%v)", r.Updates, r.CGSteps, r.Status)
}

// Infer finds Q for the rows of V (n×D), in float64. opt may be nil. For many patches use an Encoder. Infer checks ctx
// between updates and steps. If Coordinate misses the tolerance in 1000 sweeps, Infer returns the Inference with an
// error that wraps ended.ErrNotConverged. If Schedule is given, using up its sweeps is not an error.
func (m *Model) Infer(ctx context.Context, V mat.Matrix, opt *InferOptions) (*Inference, error) {
	x, err := m.patches("Infer", V)
	if err != nil {
		return nil, err
	}
	var o InferOptions
	if opt != nil {
		o = *opt
	}
	empty := len(o.Schedule.H) == 0
	if o.Schedule, err = o.Schedule.check(); err != nil {
		return nil, err
	}
	if !(o.Tolerance >= 0) || o.CGSteps < 0 {
		return nil, fmt.Errorf("s3c: Infer: Tolerance %v and CGSteps %d must not be negative", o.Tolerance, o.CGSteps)
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	if o.CGSteps == 0 {
		o.CGSteps = 100
	}
	if ctx == nil {
		ctx = context.Background()
	}
	n, _ := x.Dims()
	_, N := m.Dims()
	r := &Inference{Status: ended.Done}
	if o.Init != nil {
		if err := o.Init.checkShape("Infer: Init", n, N); err != nil {
			return nil, err
		}
		r.Q = o.Init.Clone()
	} else {
		r.Q = m.Prior(n)
	}
	trace := func() {
		if o.Trace {
			r.Trace = append(r.Trace, mean(m.energy(ctx, x, r.Q)))
		}
	}
	trace()
	switch o.Method {
	case FixedPoint:
		e := newFixedPoint(ctx, m, x, r.Q)
		for k := range o.Schedule.H {
			if ctx.Err() != nil {
				break
			}
			e.slab(o.Schedule.S[k], o.Schedule.Rho)
			e.spike(o.Schedule.H[k])
			r.Updates++
			trace()
		}
	case ConjugateGradient:
		e := newFixedPoint(ctx, m, x, r.Q)
		for k := range o.Schedule.H {
			if ctx.Err() != nil {
				break
			}
			r.CGSteps += e.conjugate(o.Tolerance, o.CGSteps)
			e.spike(o.Schedule.H[k])
			r.Updates++
			trace()
		}
	case Coordinate:
		sweeps := 1000
		if !empty {
			sweeps = len(o.Schedule.H)
		}
		if empty {
			r.Status = ended.IterationLimit
		}
		for range sweeps {
			if ctx.Err() != nil {
				break
			}
			change := m.sweep(ctx, x, r.Q)
			r.Updates++
			trace()
			if change <= o.Tolerance {
				r.Status = ended.Converged
				break
			}
		}
	default:
		return nil, fmt.Errorf("s3c: Infer: unknown method %v", o.Method)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("s3c: Infer: %w after %d updates", err, r.Updates)
	}
	r.Energy = m.energy(ctx, x, r.Q)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("s3c: Infer: %w after %d updates", err, r.Updates)
	}
	for k, f := range r.Energy {
		if f*0 != 0 {
			return nil, fmt.Errorf("s3c: Infer: the energy of patch %d is %v: scale V", k, f)
		}
	}
	if r.Status == ended.IterationLimit {
		return r, fmt.Errorf("s3c: Infer: %w in %d sweeps", ended.ErrNotConverged, r.Updates)
	}
	return r, nil
}

func mean(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}

// logSigmoid returns log σ(x).
func logSigmoid(x float64) float64 { return -softplus(-x) }

// logAdd returns log(e^x + e^y).
func logAdd(x, y float64) float64 {
	if x < y {
		x, y = y, x
	}
	return x + math.Log1p(math.Exp(y-x))
}

// dampLogit returns the logit of η σ(best) + (1−η) σ(old). It forms neither probability, so it is accurate
// even if they are near 0 or 1.
func dampLogit(eta, best, old float64) float64 {
	if eta == 1 {
		return best
	}
	a, b := math.Log(eta), math.Log1p(-eta)
	return logAdd(a+logSigmoid(best), b+logSigmoid(old)) - logAdd(a+logSigmoid(-best), b+logSigmoid(-old))
}

// A Schedule specifies the damping of Algorithm 1's updates.
type Schedule struct {
	// H and S hold the η for ĥ and for ŝ of each update, in (0, 1]. They have the same length.
	H, S []float64
	// Rho is ρ, 0 or more: a slab that changes its sign is clipped to ρ times its old size.
	Rho float64
}

// DefaultSchedule returns the schedule of the published CIFAR-10 result: 19 updates.
func DefaultSchedule() Schedule {
	s := Schedule{Rho: 0.5}
	for _, run := range []struct {
		eta   float64
		times int
	}{{0.1, 8}, {0.2, 3}, {0.3, 3}, {0.4, 5}} {
		for range run.times {
			s.H = append(s.H, run.eta)
			s.S = append(s.S, 0.1)
		}
	}
	s.S[0] = 0.7
	return s
}

// check returns the schedule, or the default if the schedule is empty. It returns an error if the schedule is invalid.
func (s Schedule) check() (Schedule, error) {
	if len(s.H) == 0 && len(s.S) == 0 {
		if s.Rho != 0 {
			return s, fmt.Errorf("s3c: the schedule has Rho %v and no updates", s.Rho)
		}
		return DefaultSchedule(), nil
	}
	if len(s.H) != len(s.S) {
		panic(fmt.Sprintf("s3c: the schedule has %d updates of h and %d of s", len(s.H), len(s.S)))
	}
	for k := range s.H {
		if !(s.H[k] > 0 && s.H[k] <= 1 && s.S[k] > 0 && s.S[k] <= 1) {
			return s, fmt.Errorf("s3c: update %d has η %v for h and %v for s, must be in (0, 1]", k, s.H[k], s.S[k])
		}
	}
	if !(s.Rho >= 0) || s.Rho-s.Rho != 0 {
		return s, fmt.Errorf("s3c: Rho is %v, must be finite and not negative", s.Rho)
	}
	return s, nil
}
