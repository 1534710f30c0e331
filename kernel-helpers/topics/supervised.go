package topics

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/regress"
	"overcomplete/ui/progress"
)

// A SupervisedModel holds topics that were fitted together with the regression of a response on the topics.
type SupervisedModel struct {
	Model
	Eta       []float64 // η, K: mean over the passes after BurnIn
	Intercept float64   // b
	Variance  float64   // σ²
}

// String returns a one-line summary.
func (m *SupervisedModel) String() string {
	return fmt.Sprintf("%v; response with intercept %.4g and variance %.4g", &m.Model, m.Intercept, m.Variance)
}

// FitSupervised is like Fit, for documents with responses y (N). opt may be nil. When ctx is done, FitSupervised
// returns the context's error with the model so far, if there is any.
func FitSupervised(ctx context.Context, counts mat.Matrix, y []float64, opt *Options) (*SupervisedModel, error) {
	given.Args("topics: FitSupervised", "counts", counts)
	if ctx == nil {
		ctx = context.Background()
	}
	o, words, err := prepare(ctx, "FitSupervised", counts, opt)
	if err != nil {
		return nil, err
	}
	N, V := counts.Dims()
	if len(y) != N {
		panic(fmt.Sprintf("topics: FitSupervised: %d documents, %d responses", N, len(y)))
	}
	for d, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("topics: FitSupervised: the response of document %d is %v", d, v)
		}
	}
	c := newChain(ctx, words, V, o.Topics, o.Alpha, o.Beta, nil, o.Seed)
	m := newMeans(c, o.Smoothed)
	out := &SupervisedModel{Model: Model{Alpha: o.Alpha, Beta: o.Beta, Status: ended.Done}, Eta: make([]float64, o.Topics)}
	c.y = make([]float64, N)
	Z := mat.NewDense(N, o.Topics, nil)
	for pass := range o.Passes {
		for d := range words {
			if err = ctx.Err(); err != nil {
				break
			}
			c.pass(d)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			out.Status, err = ended.Interrupted, fmt.Errorf("topics: FitSupervised: %w", err)
			break
		}
		b, e := c.regress(Z, y, o.Ridge)
		if err = ctx.Err(); err != nil {
			out.Status, err = ended.Interrupted, fmt.Errorf("topics: FitSupervised: %w", err)
			break
		}
		if e != nil {
			return nil, fmt.Errorf("topics: FitSupervised: pass %d: %w", pass+1, e)
		}
		out.Passes++
		out.History = append(out.History, c.logLikelihood())
		if pass >= o.BurnIn {
			m.add(c)
			floats.Add(out.Eta, c.eta)
			out.Intercept += b
			out.Variance += c.sigma2
		}
		progress.Report(o.Recorder, progress.Event{What: "topics", Step: pass + 1, Total: o.Passes, Objective: out.History[pass]})
	}
	if m.n == 0 {
		return nil, err // interrupted before the first average
	}
	out.Topics, out.Proportions = m.topics(c), m.proportions()
	scale(out.Eta, 1/float64(m.n))
	out.Intercept /= float64(m.n)
	out.Variance /= float64(m.n)
	if err == nil && ctx.Err() != nil {
		out.Status, err = ended.Interrupted, fmt.Errorf("topics: FitSupervised: %w", ctx.Err())
	}
	return out, err
}

// regress performs the M step, a ridge regression of the responses y on z̄. It sets η and σ² of the chain, sets the
// chain's responses to y − b, and returns the intercept b. Z (N×K) is a buffer for z̄.
func (c *chain) regress(Z *mat.Dense, y []float64, ridge float64) (b float64, err error) {
	Z.Zero()
	for d := range y {
		c.addShares(d, Z.RawRowView(d), false)
	}
	r, err := regress.FitRidge(c.ctx, Z, y, ridge)
	if err != nil {
		return 0, err
	}
	c.eta, c.sigma2 = r.W, 0
	for d, p := range r.Predict(Z) {
		c.sigma2 += (y[d] - p) * (y[d] - p) / float64(len(y))
		c.y[d] = y[d] - r.Intercept
	}
	// If the topics explained the responses exactly, σ² = 0 would freeze the draws. If the responses are all equal, η is
	// 0, and any σ² will do.
	least := 1e-6 * variance(y)
	if least == 0 {
		least = math.SmallestNonzeroFloat32
	}
	c.sigma2 = max(c.sigma2, least)
	return r.Intercept, nil
}

func variance(y []float64) float64 {
	mean, out := floats.Sum(y)/float64(len(y)), 0.
	for _, v := range y {
		out += (v - mean) * (v - mean) / float64(len(y))
	}
	return out
}

// Predict returns the expected responses of new documents (M×V), η'z̄ + b with z̄ from Transform. opt may be nil.
func (s *SupervisedModel) Predict(ctx context.Context, counts mat.Matrix, opt *InferOptions) ([]float64, error) {
	if s == nil {
		panic("topics: Predict: the model is nil")
	}
	o := InferOptions{}
	if opt != nil {
		o = *opt
	}
	o.Smoothed = false // the regression is on z̄
	Z, err := s.infer(ctx, "Predict", counts, &o)
	if err != nil {
		return nil, err
	}
	out := make([]float64, Z.RawMatrix().Rows)
	for d := range out {
		out[d] = floats.Dot(s.Eta, Z.RawRowView(d)) + s.Intercept
	}
	return out, nil
}
