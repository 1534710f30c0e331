package superposition

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/adam"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/option"
)

// Options are the options of Fit.
type Options struct {
	Hidden     int       // m; 0: 1
	Importance []float64 // n; nil: all 1
	Linear     bool      // omit the ReLU
	Starts     int       // random starts; the best is returned; 0 means 4
	Steps      int       // full-batch updates from each start; 0 means 1000
	Rate       float64   // Adam's initial learning rate, which decays linearly to zero; 0 means 0.03
	Seed       uint64    // for the starts
}

// A Result is the outcome of Fit.
type Result struct {
	Status ended.Status
	Model  *Model
	Loss   float64
	Losses []float64 // final losses of all starts
}

// String returns a one-line summary.
func (r *Result) String() string {
	return fmt.Sprintf("loss %.4g, the best of %d starts (%v)", r.Loss, len(r.Losses), r.Status)
}

// Fit minimizes the loss from each of several random starts, and returns the model with the lowest loss. options may
// be nil. If ctx is done, Fit returns an error and the best result of the completed starts; its Model is nil if no
// start was completed.
func Fit(ctx context.Context, d *Data, options *Options) (*Result, error) {
	var opt Options
	if options != nil {
		opt = *options
	}
	if ctx == nil {
		ctx = context.Background()
	}
	given.Args("superposition: Fit", "d", d)
	n, _ := d.X.Dims()
	def := func(v, or int) int {
		if v == 0 {
			return or
		}
		return v
	}
	m, starts, steps := def(opt.Hidden, 1), def(opt.Starts, 4), def(opt.Steps, 1000)
	if opt.Rate == 0 {
		opt.Rate = 0.03
	}
	if opt.Importance == nil {
		for range n {
			opt.Importance = append(opt.Importance, 1)
		}
	}
	if err := option.Check("superposition: Fit", option.Count("Hidden", m), option.Count("Starts", starts), option.Count("Steps", steps), option.Positive("Rate", opt.Rate)); err != nil {
		return nil, err
	}
	r := &Result{Status: ended.Done, Loss: math.Inf(1)}
	interrupted := func(start int) (*Result, error) {
		r.Status = ended.Interrupted
		return r, fmt.Errorf("superposition: Fit: at start %d: %w", start+1, ctx.Err())
	}
	for start := range starts {
		rng := rand.New(rand.NewPCG(opt.Seed, uint64(start)))
		a := &Model{W: mat.NewDense(m, n, nil), Bias: make([]float64, n), Linear: opt.Linear}
		a.W.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() * math.Sqrt(1/float64(m)) }, a.W)
		w, b := adam.New(m*n), adam.New(n)
		for t := 1; t <= steps; t++ {
			_, g, err := a.gradient(ctx, d, opt.Importance)
			if err != nil {
				return interrupted(start)
			}
			step := adam.Default.At(t, opt.Rate*float64(steps-t+1)/float64(steps))
			step.Take(a.W.RawMatrix().Data, g.W.RawMatrix().Data, w)
			step.Take(a.Bias, g.Bias, b)
		}
		l, _, err := a.gradient(ctx, d, opt.Importance)
		if err != nil {
			return interrupted(start)
		}
		r.Losses = append(r.Losses, l)
		if l < r.Loss {
			r.Model, r.Loss = a, l
		}
	}
	return r, nil
}
