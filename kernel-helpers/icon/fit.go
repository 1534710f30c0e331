package icon

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/option"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/ui/progress"
)

// A Method is a descent method.
type Method int

const (
	// Adam is the method of D. Kingma and J. Ba (2015).
	Adam Method = iota
	// Momentum is gradient descent with momentum and a gain for each parameter, as L.
	// van der Maaten and G. Hinton (2008) use it for t-SNE. A gain grows by 0.2 if the
	// gradient and the previous step have opposite signs, and is multiplied by 0.8 otherwise.
	Momentum
)

// Options configures Minimize. nil and the zero value of each field mean the default.
type Options struct {
	// Method is the descent method. 0: Adam.
	Method Method
	// Steps is the largest number of steps. 0 means 500.
	Steps int
	// Rate is the step size. 0 means 0.05 for Adam, 100 for Momentum. t-SNE needs a large rate, because its gradients
	// are small. The usual rate for t-SNE is a twelfth of the number of points.
	Rate float64
	// Decay makes the rate fall to 0 along a half cosine.
	Decay bool
	// The fit ends when the norm of the gradient is at most Tolerance. 0 means 1e-7. Negative: the tolerance is never
	// met.
	Tolerance float64
	// Exaggeration multiplies p in the gradient during the first ExaggerationSteps steps, so that clusters
	// form while there is room (t-SNE's early exaggeration). Exaggeration 0 means 1, no exaggeration.
	// ExaggerationSteps 0 means a quarter of Steps.
	Exaggeration      float64
	ExaggerationSteps int
	// FixP keeps θ fixed and learns only φ.
	FixP bool
	// Recorder receives an event for each step. It may be nil.
	Recorder progress.Recorder
}

// A Step records the loss and the norm of the gradient in one step of a descent.
type Step struct {
	Loss     float64 // before the step, without exaggeration
	Gradient float64 // norm of the gradient that the step follows: after exaggeration and,
	// if there is a constraint, after Tangent
}

// A Result is what Minimize returns: the fitted objective, its embedding and loss, and the history of the descent.
type Result struct {
	Objective *Objective
	// Embedding holds the coordinates z (n×k). It is nil if Q is not a Pair.
	Embedding *mat.Dense
	Loss      float64 // at the end
	Status    ended.Status
	Steps     int
	History   []Step
}

// String returns a one-line summary.
func (r *Result) String() string {
	return fmt.Sprintf("loss %.4g after %d steps (%v)", r.Loss, r.Steps, r.Status)
}

// ErrDiverged means that the loss or the gradient became NaN or infinite; the error of Minimize wraps it. The
// rate is then too large.
var ErrDiverged = errors.New("diverged")

// Minimize minimizes the loss of o by gradient descent. It changes the parameters θ and φ in place (only φ if FixP is
// set), and nothing else in o. It returns an error if an option is invalid, if o has no parameters to learn, or if ctx
// is done. If the loss or the gradient becomes NaN or infinite, it returns an error that wraps ErrDiverged.
func Minimize(ctx context.Context, o *Objective, opts *Options) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	given.Args("icon: Minimize", "o", o)
	if opts == nil {
		opts = &Options{}
	}
	opt, err := opts.complete()
	if err != nil {
		return nil, fmt.Errorf("icon: Minimize: %w", err)
	}
	work := *o
	params := o.Params()
	if opt.FixP || len(o.P.Params()) == 0 {
		params = o.Q.Params()
		if _, given := o.P.(*Given); !given {
			// A fixed p is computed only once.
			work.P = &Given{Title: o.P.Name(), P: o.Supervisory(), Joint: o.Joint}
		}
	}
	if len(params) == 0 {
		return nil, errors.New("icon: Minimize: there is nothing to learn")
	}
	eachConstrained(o, Projector.Project)
	var step stepper = &tape.Adam{}
	if opt.Method == Momentum {
		step = &momentum{}
	}
	r := &Result{Objective: o, Status: ended.Done}
	t := tape.New()
	for r.Steps < opt.Steps {
		pull := 1.0
		if r.Steps < opt.ExaggerationSteps {
			pull = opt.Exaggeration
		}
		t.Reset()
		tape.Zero(o.Params())
		var loss *tape.Value
		err := t.Until(ctx, func() {
			loss = work.recordOn(t, pull)
			t.Backward(loss)
		})
		if err != nil {
			return nil, fmt.Errorf("icon: Minimize: %w", err)
		}
		eachConstrained(o, Projector.Tangent)
		g := tape.GradNorm(params)
		r.History = append(r.History, Step{loss.Scalar(), g})
		if L := loss.Scalar(); math.IsNaN(L-L) || math.IsNaN(g-g) {
			return nil, fmt.Errorf("icon: Minimize: step %d: loss %v, gradient %v: %w", r.Steps, L, g, ErrDiverged)
		}
		progress.Report(opt.Recorder, progress.Event{What: "I-Con", Step: r.Steps, Total: opt.Steps, Objective: loss.Scalar()})
		if pull == 1 && g <= opt.Tolerance {
			r.Status = ended.Converged
			break
		}
		rate := opt.Rate
		if opt.Decay {
			rate *= (1 + math.Cos(math.Pi*float64(r.Steps)/float64(opt.Steps))) / 2
		}
		switch s := step.(type) {
		case *tape.Adam:
			s.Rate = rate
		case *momentum:
			s.rate, s.decay = rate, 0.8
			if r.Steps < opt.ExaggerationSteps {
				s.decay = 0.5
			}
		}
		step.Step(params)
		eachConstrained(o, Projector.Project)
		r.Steps++
	}
	t.Reset()
	if err := t.Until(ctx, func() { r.Loss = work.recordOn(t, 1).Scalar() }); err != nil {
		return nil, fmt.Errorf("icon: Minimize: %w", err)
	}
	if math.IsNaN(r.Loss - r.Loss) {
		return nil, fmt.Errorf("icon: Minimize: the last step: loss %v: %w", r.Loss, ErrDiverged)
	}
	if p, ok := o.Q.(*Pair); ok {
		r.Embedding = mat.DenseCopyOf(p.Embedding.Coordinates(tape.New()).X)
	}
	return r, nil
}

// eachConstrained calls f for each embedding that has a constraint.
func eachConstrained(o *Objective, f func(Projector)) {
	for _, r := range []Relation{o.P, o.Q} {
		if pair, ok := r.(*Pair); ok {
			if p, ok := pair.Embedding.(Projector); ok {
				f(p)
			}
		}
	}
}

func (o Options) complete() (Options, error) {
	if o.Method != Adam && o.Method != Momentum {
		return o, fmt.Errorf("unknown Method(%d)", int(o.Method))
	}
	if err := errors.Join(option.Count("Steps", o.Steps), option.Count("ExaggerationSteps", o.ExaggerationSteps)); err != nil {
		return o, err
	}
	if o.Steps == 0 {
		o.Steps = 500
	}
	if o.Rate == 0 {
		o.Rate = 0.05
		if o.Method == Momentum {
			o.Rate = 100
		}
	}
	if o.Exaggeration == 0 {
		o.Exaggeration = 1
	}
	if err := errors.Join(option.Positive("Rate", o.Rate), option.Positive("Exaggeration", o.Exaggeration)); err != nil {
		return o, err
	}
	if o.Exaggeration == 1 {
		o.ExaggerationSteps = 0
	} else if o.ExaggerationSteps == 0 {
		o.ExaggerationSteps = o.Steps / 4
	}
	if math.IsNaN(o.Tolerance) {
		return o, errors.New("option Tolerance is NaN")
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-7
	}
	return o, nil
}

type stepper interface{ Step(params []*tape.Param) }

// momentum implements the descent method called Momentum. For each number x in the parameters, with gradient g, a step
// is
//
//	v ← decay·v − rate·gain·g,   x ← x + v.
//
// Each x has its own v, which starts at 0, and its own gain, which starts at 1 and changes as described under Momentum.
type momentum struct {
	rate, decay float64
	v, gain     [][]float64
}

func (m *momentum) Step(params []*tape.Param) {
	for k, p := range params {
		n := tape.Count(params[k : k+1])
		if len(m.v) <= k {
			m.v, m.gain = append(m.v, make([]float64, n)), append(m.gain, make([]float64, n))
			for i := range m.gain[k] {
				m.gain[k][i] = 1
			}
		}
		x, g := p.X.RawMatrix().Data, p.Grad.RawMatrix().Data
		for i := range x {
			if (g[i] > 0) == (m.v[k][i] > 0) {
				m.gain[k][i] = max(0.01, 0.8*m.gain[k][i])
			} else {
				m.gain[k][i] += 0.2
			}
			m.v[k][i] = m.decay*m.v[k][i] - m.rate*m.gain[k][i]*g[i]
			x[i] += m.v[k][i]
		}
	}
	tape.Zero(params)
}
