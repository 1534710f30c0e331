package topics

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/size"
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
	// Ridge is the weight ρ of the penalty in the regression of FitSupervised, which minimizes
	// ½ Σ (y − η'z̄ − b)² + (ρ/2) ‖η‖². 0 means 1.
	Ridge float64
	// Smoothed adds α to the counts in Model.Proportions; see InferOptions.
	Smoothed bool
	// Seed determines all random draws.
	Seed uint64
	// Recorder receives an event for each pass. It may be nil.
	Recorder progress.Recorder
}

// InferOptions configures Transform, Perplexity and Predict. The zero value means the defaults.
type InferOptions struct {
	Passes int // number of times each word's topic is drawn. 0 means 40
	BurnIn int // initial passes left out of the averages. 0 means half of Passes
	// Smoothed adds α to the counts: the proportions are then the mean of θ_k = (n_dk + α)/(n_d + Kα) instead of z̄_k =
	// n_dk/n_d, and no proportion is 0. Perplexity always does this; Predict, whose regression is on z̄, never does.
	Smoothed bool
	Seed     uint64 // determines all random draws
}

// A Model holds the topics, and the proportions of the topics in the documents to which it was fitted.
type Model struct {
	Topics      *mat.Dense // K×V: φ, one distribution per row
	Proportions *mat.Dense // N×K: mean of z̄ over the passes after BurnIn, or of θ if Smoothed; rows sum to 1
	Alpha, Beta float64

	Status  ended.Status // Done, or Interrupted
	Passes  int          // number of passes made
	History []float64    // log P(words | their topics) per word, after each pass
}

// String returns a one-line summary.
func (m *Model) String() string {
	K, V := size.Of(m.Topics)
	N, _ := size.Of(m.Proportions)
	return fmt.Sprintf("%d topics of %d words in %d documents after %d passes (%v)", K, V, N, m.Passes, m.Status)
}

// Fit fits topics to documents, which are the rows of counts (N×V). It repeatedly draws the topic of each word of each
// document, and averages over the passes. opt may be nil. When ctx is done, Fit returns the context's error with the
// model so far, if there is any.
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
	m := newMeans(c, o.Smoothed)
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

// Transform returns the proportions of topics in new documents (M×V), given the topics, as an M×K matrix: the
// mean of z̄ over passes or, if opt.Smoothed is set, of θ. opt may be nil.
func (m *Model) Transform(ctx context.Context, counts mat.Matrix, opt *InferOptions) (*mat.Dense, error) {
	return m.infer(ctx, "Transform", counts, opt)
}

// Perplexity measures how well the model predicts words of documents, given other words of the same documents. The
// counts of the words to predict are in held (M×V), and the counts of the other words are in seen (M×V). The result is
//
//	exp(−(Σ_dw held_dw log(Σ_k θ_dk φ_kw)) / Σ_dw held_dw)
//
// where θ is the mean that Transform, with Smoothed set, returns for the matrix seen. A model that gives all words the
// same probability has perplexity V; lower is better. The result is a fair measure only for documents to which the
// model was not fitted, with the words of each document divided between the two matrices. If both matrices are the
// same, the perplexity is too low, and falls with each additional topic. opt may be nil.
func (m *Model) Perplexity(ctx context.Context, seen, held mat.Matrix, opt *InferOptions) (float64, error) {
	given.Args("topics: Perplexity", "seen", seen, "held", held)
	if ctx == nil {
		ctx = context.Background()
	}
	o := InferOptions{}
	if opt != nil {
		o = *opt
	}
	o.Smoothed = true
	total, err := heldWords(ctx, seen, held, true)
	if err != nil {
		return 0, err
	}
	Z, err := m.infer(ctx, "Perplexity", seen, &o)
	if err != nil {
		return 0, err
	}
	return perplexity(ctx, Z, m.Topics, held, total)
}

// heldWords checks the arguments of Perplexity and returns the sum of the elements of held. If whole is set, these
// elements must be integers, as in countWords.
func heldWords(ctx context.Context, seen, held mat.Matrix, whole bool) (total float64, err error) {
	N, V := seen.Dims()
	if n, v := held.Dims(); n != N || v != V {
		panic(fmt.Sprintf("topics: Perplexity: seen is %d×%d, held is %d×%d", N, V, n, v))
	}
	return countWords(ctx, "Perplexity", held, whole)
}

// perplexity returns exp(−(Σ_dw held_dw log(Σ_k θ_dk φ_kw)) / total).
func perplexity(ctx context.Context, theta, phi *mat.Dense, held mat.Matrix, total float64) (float64, error) {
	N, K := theta.Dims()
	log, word := 0.0, make([]float64, K)
	for d := range N {
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("topics: Perplexity: %w", err)
		}
		eachCount(held, d, func(w int, n float64) {
			log += n * math.Log(floats.Dot(theta.RawRowView(d), mat.Col(word, w, phi)))
		})
	}
	return math.Exp(-log / total), nil
}

// infer implements Transform. fn is the function to name in messages.
func (m *Model) infer(ctx context.Context, fn string, counts mat.Matrix, opt *InferOptions) (*mat.Dense, error) {
	given.Args("topics: "+fn, "counts", counts)
	if m == nil || m.Topics == nil {
		panic("topics: " + fn + ": the model has no topics: Fit makes one")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	K, V := m.Topics.Dims()
	words, err := tokens(ctx, fn, counts, K)
	if err != nil {
		return nil, err
	}
	if _, v := counts.Dims(); v != V {
		panic(fmt.Sprintf("topics: %s: counts of %d words, the topics have %d", fn, v, V))
	}
	o := InferOptions{}
	if opt != nil {
		o = *opt
	}
	if o.Passes < 0 || o.BurnIn < 0 {
		return nil, fmt.Errorf("topics: %s: Passes is %d and BurnIn %d, must not be negative", fn, o.Passes, o.BurnIn)
	}
	if o.Passes == 0 {
		o.Passes = 40
	}
	if o.BurnIn == 0 {
		o.BurnIn = o.Passes / 2
	}
	if o.BurnIn >= o.Passes {
		return nil, fmt.Errorf("topics: %s: BurnIn is %d, must be less than the %d passes", fn, o.BurnIn, o.Passes)
	}
	phi := make([][]float64, V)
	for w := range phi {
		phi[w] = mat.Col(nil, w, m.Topics)
	}
	c := newChain(ctx, words, V, K, m.Alpha, m.Beta, phi, o.Seed)
	out := mat.NewDense(len(words), K, nil)
	for d := range words {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("topics: %s: %w", fn, err)
		}
		row := out.RawRowView(d)
		for pass := range o.Passes {
			c.pass(d)
			if pass >= o.BurnIn {
				c.addShares(d, row, o.Smoothed)
			}
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("topics: %s: %w", fn, err)
			}
		}
		scale(row, 1/float64(o.Passes-o.BurnIn))
	}
	return out, nil
}

// A means collects two averages over the passes of a chain: the share of each topic in each document, and how often
// each word is used with each topic.
type means struct {
	n        int
	smoothed bool
	share    *mat.Dense // N×K
	uses     *mat.Dense // K×V
}

func newMeans(c *chain, smoothed bool) *means {
	return &means{smoothed: smoothed, share: mat.NewDense(len(c.z), c.K, nil), uses: mat.NewDense(c.K, c.V, nil)}
}

func (m *means) add(c *chain) {
	m.n++
	for d := range c.z {
		c.addShares(d, m.share.RawRowView(d), m.smoothed)
	}
	for w, uses := range c.nwk {
		for k, n := range uses {
			if n > 0 {
				m.uses.Set(k, w, m.uses.At(k, w)+float64(n))
			}
		}
	}
}

// topics returns φ = (n_kw + β)/(n_k + Vβ) (K×V), computed from the averages of the counts n_kw and n_k.
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

// prepare checks the counts and the options. It returns the options with the defaults filled in, and the words of each
// document (see tokens).
func prepare(ctx context.Context, what string, counts mat.Matrix, opt *Options) (Options, [][]int32, error) {
	o := Options{}
	if opt != nil {
		o = *opt
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
	words, err := tokens(ctx, what, counts, o.Topics)
	return o, words, err
}

// tokens returns the list of words of each document (a row of counts), in which each word is repeated as often as it
// occurs. It returns an error if a chain with these words and K topics would take too much memory.
func tokens(ctx context.Context, what string, counts mat.Matrix, K int) ([][]int32, error) {
	total, err := countWords(ctx, what, counts, true)
	if err != nil {
		return nil, err
	}
	N, V := counts.Dims()
	// A word and its topic take 8 bytes for each time that the word occurs; the counts of topics and their means take
	// 12 bytes for each topic of each document and of each distinct word.
	if err := ram.Check(fmt.Sprintf("%.0f words of %d documents in %d topics", total, N, K), 8*total+12*float64(N+V)*float64(K)); err != nil {
		return nil, fmt.Errorf("topics: %s: %w", what, err)
	}
	out := make([][]int32, N)
	for d := range out {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("topics: %s: %w", what, err)
		}
		size := 0
		eachCount(counts, d, func(_ int, n float64) { size += int(n) })
		out[d] = make([]int32, 0, size)
		eachCount(counts, d, func(w int, n float64) {
			for range int(n) {
				out[d] = append(out[d], int32(w))
			}
		})
	}
	return out, nil
}

// countWords returns the sum of the counts. It returns an error if a count is negative or not finite, or if there are
// no words. If integers is true, each count must also be an integer of at most 32 bits.
func countWords(ctx context.Context, what string, counts mat.Matrix, integers bool) (total float64, err error) {
	N, V := counts.Dims()
	if N == 0 || V == 0 {
		return 0, fmt.Errorf("topics: %s: counts are %d×%d, there must be documents and words", what, N, V)
	}
	for d := range N {
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("topics: %s: %w", what, err)
		}
		eachCount(counts, d, func(w int, n float64) {
			switch {
			case err != nil:
			case integers && (!(n >= 0) || n != math.Trunc(n) || n > math.MaxInt32):
				err = fmt.Errorf("topics: %s: document %d has word %d %v times, must be a number of times", what, d, w, n)
			case !(n >= 0) || n > 1e100: // products with sums of counts stay in range
				err = fmt.Errorf("topics: %s: document %d has word %d %v times, must be 0 or more, and at most 1e100", what, d, w, n)
			}
			total += n
		})
		if err != nil {
			return 0, err
		}
	}
	switch {
	case total == 0:
		return 0, fmt.Errorf("topics: %s: none of the %d documents has a word", what, N)
	case integers && total > math.MaxInt32:
		return 0, fmt.Errorf("topics: %s: the documents have %.0f words, must be at most %d: divide the counts", what, total, math.MaxInt32)
	}
	return total, nil
}

// eachCount calls f for each word of document d whose count is not 0.
func eachCount(counts mat.Matrix, d int, f func(w int, n float64)) {
	switch C := counts.(type) {
	case *csr.Matrix:
		col, val := C.View(d)
		for p, w := range col {
			f(int(w), val[p])
		}
	case *mat.Dense:
		for w, n := range C.RawRowView(d) {
			if n != 0 {
				f(w, n)
			}
		}
	case mat.RowNonZeroDoer: // sparse: At is slow
		C.DoRowNonZero(d, func(_, w int, n float64) { f(w, n) })
	default:
		_, V := counts.Dims()
		for w := range V {
			if n := counts.At(d, w); n != 0 {
				f(w, n)
			}
		}
	}
}
