package unrolled

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/option"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/ui/progress"
)

// Options are the options of Fit; nil means the zero value.
type Options struct {
	Steps int     // number of updates. 0: 1000
	Batch int     // signals per update. 0 means 64, or all if there are fewer
	Rate  float64 // Adam's learning rate, which decays linearly to zero over the second half of the updates. 0 means 0.001
	Seed  uint64  // determines the order of the signals
	// Recorder receives an event after each update. May be nil.
	Recorder progress.Recorder
}

// A Result is the outcome of Fit.
type Result struct {
	Status  ended.Status
	Steps   int
	History []float64 // mean of ½‖w* − w‖² over the batch, before each update
}

// String returns a one-line summary.
func (r *Result) String() string {
	return fmt.Sprintf("%d steps (%v)", r.Steps, r.Status)
}

// Fit fits the parameters of m so that the codes of the columns of X (D×N) approach those in W (n×N). If
// Fit ends early, with an error, m is in the state after the last complete update.
func Fit(ctx context.Context, m *Model, X, W mat.Matrix, opt *Options) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	given.Args("unrolled: Fit", "m", m, "X", X, "W", W)
	var o Options
	if opt != nil {
		o = *opt
	}
	m.checkSignals("Fit", X)
	d, N := X.Dims()
	r, c := W.Dims()
	if wd, wn := m.We.X.Dims(); d != wd || r != wn || c != N {
		panic(fmt.Sprintf("unrolled: Fit: signals %d×%d and codes %d×%d, for a model of %d×%d", d, N, r, c, wd, wn))
	}
	if N == 0 || !finite.Is(mat.Norm(X, 2)) || !finite.Is(mat.Norm(W, 2)) {
		return nil, errors.New("unrolled: Fit: signals and codes must be there, and finite")
	}
	if o.Steps == 0 {
		o.Steps = 1000
	}
	if o.Batch == 0 {
		o.Batch = 64
	}
	if o.Rate == 0 {
		o.Rate = 0.001
	}
	if err := option.Check("unrolled: Fit", option.Count("Steps", o.Steps), option.Count("Batch", o.Batch), option.Positive("Rate", o.Rate)); err != nil {
		return nil, err
	}
	batch := min(o.Batch, N)
	XT, WT := rows(X), rows(W)
	rng := rand.New(rand.NewPCG(o.Seed, 0x115a))
	order, at := rng.Perm(N), 0
	x, w := mat.NewDense(batch, d, nil), mat.NewDense(batch, r, nil)
	adam, t := &tape.Adam{Rate: o.Rate}, tape.New()
	res := &Result{Status: ended.Done}
	interrupted := func() (*Result, error) {
		tape.Zero(m.Params())
		res.Status = ended.Interrupted
		return res, fmt.Errorf("unrolled: Fit: after %d updates: %w", res.Steps, ctx.Err())
	}
	for step := range o.Steps {
		if ctx.Err() != nil {
			return interrupted()
		}
		for i := range batch {
			if at == N {
				rng.Shuffle(N, func(i, j int) { order[i], order[j] = order[j], order[i] })
				at = 0
			}
			x.SetRow(i, XT.RawRowView(order[at]))
			w.SetRow(i, WT.RawRowView(order[at]))
			at++
		}
		loss := 0.0
		if t.Until(ctx, func() { loss = m.loss(t, x, w) }) != nil {
			return interrupted()
		}
		if !finite.Is(loss) {
			res.Status = ended.Diverged
			return res, fmt.Errorf("unrolled: Fit: the loss is %v at update %d; try a smaller Rate", loss, step+1)
		}
		adam.Rate = o.Rate * math.Min(1, 2*float64(o.Steps-step)/float64(o.Steps))
		adam.Step(m.Params())
		res.Steps, res.History = step+1, append(res.History, loss)
		progress.Report(o.Recorder, progress.Event{What: "unrolled iterations", Step: step + 1, Total: o.Steps, Objective: loss})
	}
	if ctx.Err() != nil {
		return interrupted()
	}
	return res, nil
}

// loss returns the mean of ½‖w* − ŵ‖² over the signals in the rows of x. Here w* is the signal's known code, a row of
// the argument w, and ŵ is the model's code. Unless the mean is infinite or NaN, loss adds the mean's gradient to the
// gradients of the parameters.
func (m *Model) loss(t *tape.Tape, x, w *mat.Dense) float64 {
	t.Reset()
	e := t.Add(m.pass(t, x), t.Scale(-1, t.Const(w)))
	L := t.Scale(0.5/float64(x.RawMatrix().Rows), t.Sum(t.Mul(e, e)))
	v := L.Scalar()
	if finite.Is(v) {
		t.Backward(L)
	}
	return v
}
