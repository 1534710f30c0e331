package topics

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/ui/progress"
)

// Options configures Fit and FitSupervised. The zero value means the defaults.
type Options struct {
	Topics int     // K. 0 means 20
	Alpha  float64 // parameter of the documents' proportions. 0 means 1/K
	Beta   float64 // parameter of the topics. 0 means 0.01
	// Passes is the number of times each word's topic is drawn. 0 means 200.
	Passes int
	// BurnIn is the number of initial passes that are left out of the averages. 0 means half of Passes.
	BurnIn int
	// Ridge is α of the regression in FitSupervised, ½ Σ (y − η'z̄ − b)² + (α/2) ‖η‖².
	// 0 means 1.
	Ridge float64
	// Seed determines all random draws.
	Seed uint64
	// Recorder receives an event for each pass. It may be nil.
	Recorder progress.Recorder
}

// InferOptions configures Transform and Predict. The zero value means the defaults.
type InferOptions struct {
	Passes int    // number of times each word's topic is drawn. 0 means 40
	BurnIn int    // initial passes left out of the averages. 0 means half of Passes
	Seed   uint64 // determines all random draws
}

// A Model holds the topics, and the proportions of the documents it was fitted to.
type Model struct {
	Topics      *mat.Dense // K×V: φ, one distribution per row
	Proportions *mat.Dense // N×K: mean of z̄ over the passes after BurnIn; rows sum to 1
	Alpha, Beta float64

	Status  ended.Status // Done, or Interrupted
	Passes  int          // number of passes made
	History []float64    // log P(words | their topics) per word, after each pass
}

// Fit repeatedly draws the topics of all words of the documents, the rows of counts (N×V), and averages over
// the passes. opt may be nil. When ctx ends, Fit returns the context's error with the model so far, if there
// is any.
func Fit(ctx context.Context, counts mat.Matrix, opt *Options) (*Model, error) {
	given.Args("topics: Fit", "counts", counts)
	if ctx == nil {
		ctx = context.Background()
	}
	o, words, err := prepare(ctx, "Fit", counts, opt)
	if err != nil {
		return nil, err
	}
	_, V := counts.Dims()
	c := newChain(ctx, words, V, o.Topics, o.Alpha, o.Beta, nil, o.Seed)
	m := newMeans(c)
	out := &Model{Alpha: o.Alpha, Beta: o.Beta, Status: ended.Done}
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
			out.Status, err = ended.Interrupted, fmt.Errorf("topics: Fit: %w", err)
			break
		}
		out.Passes++
		out.History = append(out.History, c.logLikelihood())
		if pass >= o.BurnIn {
			m.add(c)
		}
		progress.Report(o.Recorder, progress.Event{What: "topics", Step: pass + 1, Total: o.Passes, Objective: out.History[pass]})
	}
	if m.n == 0 {
		return nil, err // interrupted before the first average
	}
	out.Topics, out.Proportions = m.topics(c), m.proportions()
	if err == nil && ctx.Err() != nil {
		out.Status, err = ended.Interrupted, fmt.Errorf("topics: Fit: %w", ctx.Err())
	}
	return out, err
}

// Transform returns the proportions of topics in new documents (M×V), given the topics: the
// mean of z̄ over passes, M×K. opt may be nil.
func (m *Model) Transform(ctx context.Context, counts mat.Matrix, opt *InferOptions) (*mat.Dense, error) {
	given.Args("topics: Transform", "counts", counts)
	if m == nil || m.Topics == nil {
		panic("topics: Transform: the model has no topics: Fit makes one")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	K, V := m.Topics.Dims()
	words, err := tokens(ctx, "Transform", counts)
	if err != nil {
		return nil, err
	}
	if _, v := counts.Dims(); v != V {
		panic(fmt.Sprintf("topics: Transform: counts of %d words, the topics have %d", v, V))
	}
	o := InferOptions{}
	if opt != nil {
		o = *opt
	}
	if o.Passes < 0 || o.BurnIn < 0 {
		return nil, fmt.Errorf("topics: Transform: Passes is %d and BurnIn %d, must not be negative", o.Passes, o.BurnIn)
	}
	if o.Passes == 0 {
		o.Passes = 40
	}
	if o.BurnIn == 0 {
		o.BurnIn = o.Passes / 2
	}
	if o.BurnIn >= o.Passes {
		return nil, fmt.Errorf("topics: Transform: BurnIn is %d, must be less than the %d passes", o.BurnIn, o.Passes)
	}
	phi := make([][]float64, V)
	for w := range phi {
		phi[w] = mat.Col(nil, w, m.Topics)
	}
	c := newChain(ctx, words, V, K, m.Alpha, m.Beta, phi, o.Seed)
	out := mat.NewDense(len(words), K, nil)
	for d := range words {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("topics: Transform: %w", err)
		}
		row := out.RawRowView(d)
		for pass := range o.Passes {
			c.pass(d)
			if pass >= o.BurnIn {
				c.addShares(d, row)
			}
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("topics: Transform: %w", err)
			}
		}
		scale(row, 1/float64(o.Passes-o.BurnIn))
	}
	return out, nil
}

// means holds averages over passes.
type means struct {
	n     int
	share *mat.Dense // N×K
	uses  *mat.Dense // K×V
}

func newMeans(c *chain) *means {
	return &means{share: mat.NewDense(len(c.z), c.K, nil), uses: mat.NewDense(c.K, c.V, nil)}
}

func (m *means) add(c *chain) {
	m.n++
	for d := range c.z {
		c.addShares(d, m.share.RawRowView(d))
	}
	for w, uses := range c.nwk {
		for k, n := range uses {
			if n > 0 {
				m.uses.Set(k, w, m.uses.At(k, w)+float64(n))
			}
		}
	}
}

// topics returns φ = (n_kw + β)/(n_k + Vβ) for the mean counts.
func (m *means) topics(c *chain) *mat.Dense {
	out := mat.NewDense(c.K, c.V, nil)
	for k := range c.K {
		row, sum := out.RawRowView(k), 0.
		for w, n := range m.uses.RawRowView(k) {
			row[w] = n/float64(m.n) + c.beta
			sum += row[w]
		}
		scale(row, 1/sum)
	}
	return out
}

func (m *means) proportions() *mat.Dense {
	out := mat.DenseCopyOf(m.share)
	out.Scale(1/float64(m.n), out)
	return out
}

func scale(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}

// prepare checks data and options, and fills in defaults.
func prepare(ctx context.Context, what string, counts mat.Matrix, opt *Options) (Options, [][]int32, error) {
	o := Options{}
	if opt != nil {
		o = *opt
	}
	words, err := tokens(ctx, what, counts)
	if err != nil {
		return o, nil, err
	}
	for _, x := range []struct {
		name string
		v    float64
	}{{"Topics", float64(o.Topics)}, {"Alpha", o.Alpha}, {"Beta", o.Beta}, {"Passes", float64(o.Passes)}, {"BurnIn", float64(o.BurnIn)}, {"Ridge", o.Ridge}} {
		if !(x.v >= 0) || math.IsInf(x.v, 0) {
			return o, nil, fmt.Errorf("topics: %s: %s is %v, must be finite and not negative", what, x.name, x.v)
		}
	}
	if o.Topics == 0 {
		o.Topics = 20
	}
	if o.Alpha == 0 {
		o.Alpha = 1 / float64(o.Topics)
	}
	if o.Beta == 0 {
		o.Beta = 0.01
	}
	if o.Passes == 0 {
		o.Passes = 200
	}
	if o.BurnIn == 0 {
		o.BurnIn = o.Passes / 2
	}
	if o.Ridge == 0 {
		o.Ridge = 1
	}
	if o.BurnIn >= o.Passes {
		return o, nil, fmt.Errorf("topics: %s: BurnIn is %d, must be less than the %d passes", what, o.BurnIn, o.Passes)
	}
	return o, words, nil
}

// tokens returns the list of words of each document, given by a row of counts.
func tokens(ctx context.Context, what string, counts mat.Matrix) ([][]int32, error) {
	if counts == nil {
		panic("topics: " + what + ": counts is nil")
	}
	N, V := counts.Dims()
	if N == 0 || V == 0 {
		return nil, fmt.Errorf("topics: %s: counts are %d×%d, there must be documents and words", what, N, V)
	}
	// each calls f for the counts of document d that are not 0, in the order of words.
	each := func(d int, f func(d, w int, c float64)) {
		for w := range V {
			if c := counts.At(d, w); c != 0 {
				f(d, w, c)
			}
		}
	}
	if S, ok := counts.(mat.RowNonZeroDoer); ok { // sparse: At is slow
		each = S.DoRowNonZero
	}
	out, any := make([][]int32, N), false
	for d := range out {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("topics: %s: %w", what, err)
		}
		bad, times := -1, 0.0
		each(d, func(_, w int, c float64) {
			if !(c >= 0) || c != math.Trunc(c) || c > math.MaxInt32 {
				if bad < 0 {
					bad, times = w, c
				}
				return
			}
			for range int(c) {
				out[d] = append(out[d], int32(w))
			}
		})
		if bad >= 0 {
			return nil, fmt.Errorf("topics: %s: document %d has word %d %v times, must be a number of times", what, d, bad, times)
		}
		any = any || len(out[d]) > 0
	}
	if !any {
		return nil, fmt.Errorf("topics: %s: none of the %d documents has a word", what, N)
	}
	return out, nil
}
