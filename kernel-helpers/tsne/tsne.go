package tsne

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/ui/progress"
)

// ErrDiverged means that the descent diverged; the error that Fit returns wraps it.
var ErrDiverged = errors.New("the descent diverged: the learning rate is too large")

// A Check is the state of the descent at one step.
type Check struct {
	Step int // number of steps so far
	// KL is the divergence without exaggeration. Its normalizer Z is the one that the method computes.
	KL float64
	// GradNorm is the norm of the gradient of the divergence. In the exaggerated steps it is the norm of the
	// gradient with exaggeration.
	GradNorm float64
}

// A Result is a map and how it was found.
type Result struct {
	// Y is the map (n×D, D = Options.Dimensions), one point per row.
	Y *mat.Dense
	// KL is the divergence at Y, or NaN if the context ended the descent. KLExact reports whether the
	// normalizer Z of KL was summed over all pairs by Fit. This is so for up to ExactLimit points. For more points,
	// Z is the one that Method computes.
	KL      float64
	KLExact bool
	// History holds a Check for every 50 steps.
	History []Check
	Steps   int
	Status  ended.Status
	// Method is the algorithm used for the gradient.
	Method Method
	// Affinities holds P, for other maps of the same points.
	Affinities *Affinities
}

// ExactLimit is the maximum number of points for which Result.KL is exact.
const ExactLimit = 100_000

// String returns a one-line summary.
func (r *Result) String() string {
	n, _ := r.Y.Dims()
	return fmt.Sprintf("t-SNE of %d points: KL %.4f after %d steps (%v, %v)", n, r.KL, r.Steps, r.Method, r.Status)
}

// Fit computes a map (n×2, or n×Options.Dimensions) of the rows of X (n×d) by t-SNE or, with Metric
// Precomputed, of points whose distances are X (n×n). opt may be nil.
//
// Fit returns an error if X is nil or empty, has NaN or infinite elements, or does not suit the Metric; if an
// option is out of range; if the descent diverged (ErrDiverged); or if ctx ended it. In the last two cases,
// if the descent had started, Fit also returns a Result with the current map.
func Fit(ctx context.Context, X mat.Matrix, opt *Options) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	D, err := points(X)
	if err != nil {
		return nil, err
	}
	n, _ := D.Dims()
	o, err := opt.complete(n)
	if err != nil {
		return nil, err
	}
	if D, err = o.Metric.in(D); err != nil {
		return nil, err
	}
	y, err := start(ctx, D, &o)
	if err != nil {
		return nil, err
	}
	a, err := affinities(ctx, D, &o)
	if err != nil {
		return nil, err
	}
	if o.Dimensions != 2 && o.Dimensions != 3 {
		o.Method = Exact
	}
	var f field
	all := team{o.Workers, ctx}
	switch {
	case o.Method == BarnesHut && o.Dimensions == 3:
		f = newSpace(a, o.Theta, all)
	case o.Method == Exact:
		f = &exactField{Affinities: a, team: all, rep: make([]float64, len(y)), z: make([]float64, n)}
	case o.DegreesOfFreedom != 1:
		f = newFlat(a, o.Theta, all)
	default:
		f = newBarnesHut(a, o.Theta, all)
	}
	r := &Result{Method: o.Method, Affinities: a, Status: ended.Done}
	err = r.descend(ctx, f, y, &o)
	r.Y = mat.NewDense(n, o.Dimensions, y)
	if r.Status == ended.Interrupted { // do not spend time on all pairs after an interruption
		r.KL = math.NaN()
	} else if r.KLExact = n <= ExactLimit; r.KLExact {
		r.KL = a.attraction(y, all) + math.Log(a.normalizer(y, all))
	} else {
		r.KL = f.gradient(y, 1, make([]float64, len(y)), true)
	}
	if err == nil && ctx.Err() != nil {
		r.KL, r.Status, err = math.NaN(), ended.Interrupted, fmt.Errorf("tsne: after %d steps: %w", r.Steps, ctx.Err())
	}
	return r, err
}

// A field computes the gradient of C at a map, exactly or approximately; see exactField.gradient.
type field interface {
	gradient(y []float64, exaggeration float64, g []float64, withKL bool) (kl float64)
}

// descend moves y down the gradient of the divergence C. It uses algorithm 1 of van der Maaten and Hinton, with
// Jacobs's gains:
//
//	v ← μv − η (gain ∘ ∇C),   y ← y + v
//
// Here η is the learning rate. A gain grows by 0.2 if v and −∇C agree in sign; otherwise it is multiplied by 0.8, but
// stays at least 0.01. μ is 0.5 in the exaggerated steps, then 0.8. v and the gains are reset after the exaggerated
// steps, as in scikit-learn.
func (r *Result) descend(ctx context.Context, f field, y []float64, o *Options) error {
	g, v, gain := make([]float64, len(y)), make([]float64, len(y)), make([]float64, len(y))
	last := slices.Clone(y)
	least, since, kl := math.Inf(1), 0, math.NaN()
	for t := range o.Steps {
		exaggeration, momentum := 1.0, 0.8
		if t < o.ExaggeratedSteps {
			exaggeration, momentum = o.EarlyExaggeration, 0.5
		}
		if t == 0 || t == o.ExaggeratedSteps {
			for k := range v {
				v[k], gain[k] = 0, 1
			}
			since = t
		}
		look := t%checkEvery == 0
		c := f.gradient(y, exaggeration, g, look)
		if err := ctx.Err(); err != nil {
			r.Status = ended.Interrupted
			return fmt.Errorf("tsne: after %d steps: %w", t, err)
		}
		square := 0.0
		for _, s := range g {
			square += s * s
		}
		if math.IsNaN(square) || math.IsInf(square, 1) {
			copy(y, last)
			r.Status = ended.Diverged
			return fmt.Errorf("tsne: after %d steps: %w", t, ErrDiverged)
		}
		if look {
			kl = c
			r.History = append(r.History, Check{t, kl, math.Sqrt(square)})
			if t >= o.ExaggeratedSteps {
				if kl < least {
					least, since = kl, t
				} else if t-since > o.Patience {
					r.Status = ended.EarlyStop
					return nil
				}
				if math.Sqrt(square) <= o.MinGradNorm {
					r.Status = ended.Converged
					return nil
				}
			}
		}
		copy(last, y)
		for k, s := range g {
			if v[k]*s < 0 {
				gain[k] += 0.2
			} else {
				gain[k] = math.Max(0.8*gain[k], 0.01)
			}
			v[k] = momentum*v[k] - o.LearningRate*gain[k]*s
			y[k] += v[k]
		}
		r.Steps = t + 1
		if r.Steps%10 == 0 || r.Steps == o.Steps {
			progress.Report(o.Recorder, progress.Event{What: "t-SNE", Step: r.Steps, Total: o.Steps, Objective: kl})
		}
	}
	return nil
}
