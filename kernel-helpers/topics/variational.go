package topics

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/option"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/vmath"
	"overcomplete/ui/progress"
)

// VariationalOptions configures FitVariational. The zero value means the defaults.
type VariationalOptions struct {
	Topics int     // K. 0 means 20
	Alpha  float64 // parameter of the documents' proportions. 0 means 1/K
	Beta   float64 // parameter of the topics. 0 means 0.01
	// Batch is the number of documents that each update of the topics uses. 0 means all.
	Batch int
	// MaxIterations is the largest number of passes over the documents, and with Batch the exact number. 0 means
	// 200, or 10 with Batch.
	MaxIterations int
	// Tolerance ends the fit when a pass raises the bound by at most this share of the bound. 0 means 1e-6. It has no
	// effect with Batch.
	Tolerance float64
	// Offset and Decay set the weight of each update with Batch: update t = 0, 1, ... has the weight (Offset +
	// t)^−Decay. Updates converge for 0.5 < Decay <= 1. 0 means 10 for Offset, and 0.7 for Decay.
	Offset, Decay float64
	// A document's γ is updated until its elements change by less than InnerTolerance words on average, but at most
	// Inner times. 0 means 1e-3 for InnerTolerance, and 100 for Inner.
	InnerTolerance float64
	Inner          int
	// Seed determines the start, and the order of documents with Batch.
	Seed uint64
	// Recorder receives an event for each pass. It may be nil.
	Recorder progress.Recorder
}

// A Variational holds topics that were fitted by variational Bayes, and the proportions of the topics in the documents
// to which they were fitted. In the approximate posterior q, all φ_k, θ_d and words' topics z are independent, with φ_k
// ~ Dirichlet(λ_k) and θ_d ~ Dirichlet(γ_d).
type Variational struct {
	Lambda      *mat.Dense // K×V: λ
	Topics      *mat.Dense // K×V: the mean of φ, one distribution per row
	Proportions *mat.Dense // N×K: the mean of θ; rows sum to 1. nil if the context ended the fit
	Alpha, Beta float64

	Inner          int     // from the options
	InnerTolerance float64 // from the options

	Status     ended.Status // Converged or IterationLimit (with Batch: Done), or Interrupted
	Iterations int          // number of passes made
	// Bound is the bound on the documents' log P(words) (see the method BoundOf), or NaN if the context ended the fit.
	Bound float64
	// History holds for each pass the bound divided by the number of words, before the pass changes the topics.
	// With Batch, each document is evaluated with the topics at the time of its update, so the values are not
	// bounds.
	History []float64
}

// String returns a one-line summary.
func (m *Variational) String() string {
	K, V := size.Of(m.Topics)
	return fmt.Sprintf("%d topics of %d words: bound %.4g after %d passes (%v)", K, V, m.Bound, m.Iterations, m.Status)
}

// FitVariational fits topics to documents, the rows of counts (N×V), by variational Bayes (Blei, Ng and
// Jordan 2003). If Batch is set, it works online (M. Hoffman, D. Blei and F. Bach, Online learning for latent
// Dirichlet allocation, NIPS 2010); otherwise no pass lowers the bound. Counts need not be integers. opt may
// be nil. If Tolerance is not reached, the error wraps ended.ErrNotConverged; when ctx is done, the error wraps
// the context's error. In both cases the model so far is returned too.
func FitVariational(ctx context.Context, counts mat.Matrix, opt *VariationalOptions) (*Variational, error) {
	const fn = "FitVariational"
	given.Args("topics: "+fn, "counts", counts)
	if ctx == nil {
		ctx = context.Background()
	}
	o, err := opt.complete()
	if err != nil {
		return nil, err
	}
	docs, total, err := documents(ctx, fn, counts, o.Topics)
	if err != nil {
		return nil, err
	}
	N, V := counts.Dims()
	rng := rand.New(rand.NewPCG(o.Seed, 0x766172))
	v := newVariation(V, o.Topics, o.Alpha, o.Beta, o.Inner, o.InnerTolerance)
	for i := range v.lambda {
		v.lambda[i] = math.Max(0.1, 1+0.1*rng.NormFloat64()) // equal topics would stay equal
	}
	m := &Variational{Alpha: o.Alpha, Beta: o.Beta, Inner: o.Inner, InnerTolerance: o.InnerTolerance, Status: ended.Done, Bound: math.NaN()}
	size := o.Batch
	if size == 0 || size > N {
		size = N
	}
	whole := o.Batch == 0
	if whole {
		m.Status = ended.IterationLimit
	}
	gamma := v.start(docs) // kept between passes if all documents are in one update
	updates := 0
	for pass := range o.MaxIterations {
		order := rng.Perm(N)
		sum := 0.0
		for from := 0; from < N; from += size {
			part, g := docs, gamma
			if !whole {
				part = make([]document, min(size, N-from))
				for i := range part {
					part[i] = docs[order[from+i]]
				}
				g = v.start(part)
			}
			v.expect()
			bound, stats, e := v.infer(ctx, part, g, true, whole && pass > 0)
			if e != nil {
				m.Status, err = ended.Interrupted, fmt.Errorf("topics: %s: %w", fn, e)
				break
			}
			sum += bound
			rho := 1.0
			if !whole {
				rho = math.Pow(o.Offset+float64(updates), -o.Decay)
			} else {
				sum += v.topicBound()
			}
			scale := float64(N) / float64(len(part))
			for i, s := range stats {
				v.lambda[i] = (1-rho)*v.lambda[i] + rho*(o.Beta+scale*s)
			}
			updates++
		}
		if err != nil {
			break
		}
		if !whole {
			v.expect()
			sum += v.topicBound()
		}
		m.Iterations++
		m.History = append(m.History, sum/total)
		progress.Report(o.Recorder, progress.Event{What: "topics", Step: pass + 1, Total: o.MaxIterations, Objective: sum / total})
		if h := m.History; whole && pass > 0 && h[pass]-h[pass-1] <= o.Tolerance*math.Abs(h[pass]) {
			m.Status = ended.Converged
			break
		}
	}
	m.Lambda, m.Topics = mat.NewDense(o.Topics, V, nil), mat.NewDense(o.Topics, V, nil)
	for k := range o.Topics {
		row := m.Lambda.RawRowView(k)
		for w := range V {
			row[w] = v.lambda[w*o.Topics+k]
		}
		floats.ScaleTo(m.Topics.RawRowView(k), 1/floats.Sum(row), row)
	}
	if err != nil {
		return m, err
	}
	v.expect()
	if !whole {
		gamma = v.start(docs)
	}
	bound, _, err := v.infer(ctx, docs, gamma, false, false)
	if err != nil {
		m.Status = ended.Interrupted
		return m, fmt.Errorf("topics: %s: %w", fn, err)
	}
	m.Bound = bound + v.topicBound()
	m.Proportions = proportionsOf(gamma, o.Topics)
	return m, ended.Missed("topics: "+fn, "fits", []ended.Status{m.Status})
}

// complete checks the options and fills in the defaults.
func (o *VariationalOptions) complete() (VariationalOptions, error) {
	c := VariationalOptions{}
	if o != nil {
		c = *o
	}
	if err := option.Check("topics: FitVariational", option.Count("Topics", c.Topics), option.NotNegative("Alpha", c.Alpha), option.NotNegative("Beta", c.Beta),
		option.Count("Batch", c.Batch), option.Count("MaxIterations", c.MaxIterations), option.NotNegative("Tolerance", c.Tolerance), option.NotNegative("Offset", c.Offset),
		option.NotNegative("Decay", c.Decay), option.AtMost("Decay", c.Decay, 1), option.NotNegative("InnerTolerance", c.InnerTolerance), option.Count("Inner", c.Inner)); err != nil {
		return c, err
	}
	if c.Topics == 0 {
		c.Topics = 20
	}
	if c.MaxIterations == 0 {
		c.MaxIterations = 200
		if c.Batch > 0 {
			c.MaxIterations = 10
		}
	}
	if c.Inner == 0 {
		c.Inner = 100
	}
	for _, d := range []struct {
		at    *float64
		usual float64
	}{{&c.Alpha, 1 / float64(c.Topics)}, {&c.Beta, 0.01}, {&c.Tolerance, 1e-6}, {&c.Offset, 10}, {&c.Decay, 0.7}, {&c.InnerTolerance, 1e-3}} {
		if *d.at == 0 {
			*d.at = d.usual
		}
	}
	if c.Offset < 1 && c.Batch > 0 {
		return c, fmt.Errorf("topics: FitVariational: Offset is %v, must be 1 or more: no update may weigh more than 1", c.Offset)
	}
	return c, nil
}

// Transform returns the mean proportions θ of topics in new documents (M×V), as an M×K matrix whose rows sum
// to 1. Counts need not be integers.
func (m *Variational) Transform(ctx context.Context, counts mat.Matrix) (*mat.Dense, error) {
	_, gamma, _, err := m.apply(ctx, "Transform", counts)
	if err != nil {
		return nil, err
	}
	K, _ := m.Lambda.Dims()
	return proportionsOf(gamma, K), nil
}

// BoundOf returns a lower bound on log P(words) for the documents in the rows of counts (M×V), as if there were no
// other documents. With the λ of the model and the documents' best γ and q(z), the bound is
//
//	E_q[log P(words, z, θ, φ)] − E_q[log q(z, θ, φ)].
//
// perplexity is exp(−bound/number of words). scikit-learn calls the two results score and perplexity.
func (m *Variational) BoundOf(ctx context.Context, counts mat.Matrix) (bound, perplexity float64, err error) {
	if ctx == nil {
		ctx = context.Background()
	}
	v, _, bound, err := m.apply(ctx, "BoundOf", counts)
	if err != nil {
		return 0, 0, err
	}
	total, err := countWords(ctx, "BoundOf", counts, false)
	if err != nil {
		return 0, 0, err
	}
	bound += v.topicBound()
	return bound, math.Exp(-bound / total), nil
}

// Perplexity measures how well the model predicts some words of documents, counted in held (M×V), given other words of
// the same documents, counted in seen (M×V). It has the same definition as Model.Perplexity, with the means of θ and φ,
// so the results of the two methods can be compared.
func (m *Variational) Perplexity(ctx context.Context, seen, held mat.Matrix) (float64, error) {
	given.Args("topics: Perplexity", "seen", seen, "held", held)
	if ctx == nil {
		ctx = context.Background()
	}
	total, err := heldWords(ctx, seen, held, false)
	if err != nil {
		return 0, err
	}
	_, gamma, _, err := m.apply(ctx, "Perplexity", seen)
	if err != nil {
		return 0, err
	}
	return perplexity(ctx, proportionsOf(gamma, m.Lambda.RawMatrix().Rows), m.Topics, held, total)
}

// apply infers the proportions of documents. Its errors name the method fn.
func (m *Variational) apply(ctx context.Context, fn string, counts mat.Matrix) (v *variation, gamma []float64, bound float64, err error) {
	given.Args("topics: "+fn, "counts", counts)
	if ctx == nil {
		ctx = context.Background()
	}
	if m == nil || m.Lambda == nil {
		panic("topics: " + fn + ": the model has no topics: FitVariational makes one")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	K, V := m.Lambda.Dims()
	docs, _, err := documents(ctx, fn, counts, K)
	if err != nil {
		return nil, nil, 0, err
	}
	if _, w := counts.Dims(); w != V {
		panic(fmt.Sprintf("topics: %s: counts of %d words, the topics have %d", fn, w, V))
	}
	v = newVariation(V, K, m.Alpha, m.Beta, m.Inner, m.InnerTolerance)
	for k := range K {
		for w, l := range m.Lambda.RawRowView(k) {
			v.lambda[w*K+k] = l
		}
	}
	v.expect()
	gamma = v.start(docs)
	bound, _, err = v.infer(ctx, docs, gamma, false, false)
	if err != nil {
		err = fmt.Errorf("topics: %s: %w", fn, err)
	}
	return v, gamma, bound, err
}

// A document lists the words whose count is not 0, and their counts.
type document struct {
	word  []int32
	count []float64
	size  float64 // sum of the counts
}

// documents returns the rows of counts as documents, and the sum of the counts. It returns an error if the state for
// these documents and K topics would take too much memory.
func documents(ctx context.Context, fn string, counts mat.Matrix, K int) (docs []document, total float64, err error) {
	if total, err = countWords(ctx, fn, counts, false); err != nil {
		return nil, 0, err
	}
	N, V := counts.Dims()
	if err := ram.Check(fmt.Sprintf("the proportions of %d documents and %d words in %d topics", N, V, K), 8*float64(K)*(3*float64(N)+4*float64(V))); err != nil {
		return nil, 0, fmt.Errorf("topics: %s: %w", fn, err)
	}
	docs = make([]document, N)
	for d := range docs {
		eachCount(counts, d, func(w int, n float64) {
			if n > 0 {
				docs[d].word, docs[d].count = append(docs[d].word, int32(w)), append(docs[d].count, n)
				docs[d].size += n
			}
		})
	}
	return docs, total, nil
}

// A variation is the state of variational Bayes. Numbers for each word and topic are stored word by word (V×K).
type variation struct {
	V, K           int
	alpha, beta    float64
	inner          int
	innerTolerance float64

	lambda  []float64 // V×K
	logPhi  []float64 // V×K: E[log φ_kw]
	phi     []float64 // V×K: exp(E[log φ_kw] − top_w)
	top     []float64 // V: the largest E[log φ_kw] of a word
	columns []float64 // K: Σ_w λ_kw
}

func newVariation(V, K int, alpha, beta float64, inner int, tolerance float64) *variation {
	return &variation{V: V, K: K, alpha: alpha, beta: beta, inner: inner, innerTolerance: tolerance,
		lambda: make([]float64, V*K), logPhi: make([]float64, V*K), phi: make([]float64, V*K), top: make([]float64, V), columns: make([]float64, K)}
}

// start returns the initial γ (N×K) of the documents, see equal.
func (v *variation) start(docs []document) []float64 {
	gamma := make([]float64, len(docs)*v.K)
	for d, doc := range docs {
		v.equal(doc, gamma[d*v.K:(d+1)*v.K])
	}
	return gamma
}

// equal stores in g the γ of the given document, as if each topic had the same share of the document's words.
func (v *variation) equal(doc document, g []float64) {
	for k := range g {
		g[k] = v.alpha + doc.size/float64(v.K)
	}
}

// expect computes logPhi, phi and top from λ.
func (v *variation) expect() {
	clear(v.columns)
	for w := range v.V {
		floats.Add(v.columns, v.lambda[w*v.K:(w+1)*v.K])
	}
	whole := make([]float64, v.K)
	for k, s := range v.columns {
		whole[k] = mathext.Digamma(s)
	}
	const block = 64
	parallel.Do((v.V+block-1)/block, 0, func(b int) {
		for w := b * block; w < min(v.V, (b+1)*block); w++ {
			e, phi := v.logPhi[w*v.K:(w+1)*v.K], v.phi[w*v.K:(w+1)*v.K]
			for k, l := range v.lambda[w*v.K : (w+1)*v.K] {
				e[k] = mathext.Digamma(l) - whole[k]
			}
			v.top[w] = floats.Max(e)
			for k, x := range e {
				phi[k] = x - v.top[w]
			}
			vmath.Exp(phi, phi)
		}
	})
}

// infer updates γ of the documents (N×K) until it converges. If twice is set, infer makes a second attempt that starts
// from equal shares, and keeps the better γ of each document. Otherwise γ may stay at a local optimum that was found
// when all topics were still alike. infer returns the documents' part of the bound, Σ_d b_d with
//
//	b_d = Σ_w n_dw log(Σ_k exp(E[log θ_dk] + E[log φ_kw]))
//	    + Σ_k ((α − γ_dk) E[log θ_dk] + log Γ(γ_dk) − log Γ(α))
//	    + log Γ(Kα) − log Γ(Σ_k γ_dk).
//
// This is the bound for the best q(z) given γ and λ. If want is set, infer also returns Σ_d n_dw q(z_dw = k) (V×K).
func (v *variation) infer(ctx context.Context, docs []document, gamma []float64, want, twice bool) (bound float64, stats []float64, err error) {
	K := v.K
	N := len(docs)
	theta, logTheta := make([]float64, N*K), make([]float64, N*K) // exp(E[log θ] − the largest), and its logarithm
	share := make([][]float64, N)                                 // n_dw divided by Σ_k theta_dk phi_wk
	bounds := make([]float64, N)
	const block = 8
	parallel.Do((N+block-1)/block, 0, func(b int) {
		next, weight := make([]float64, K), make([]float64, K)
		other, otherTh, otherLt := make([]float64, K), make([]float64, K), make([]float64, K)
		for d := b * block; d < min(N, (b+1)*block); d++ {
			if ctx.Err() != nil {
				return
			}
			doc, g := docs[d], gamma[d*K:(d+1)*K]
			th, lt := theta[d*K:(d+1)*K], logTheta[d*K:(d+1)*K]
			share[d] = make([]float64, len(doc.word))
			bounds[d] = v.settle(doc, g, th, lt, share[d], next, weight)
			if !twice {
				continue
			}
			v.equal(doc, other)
			otherShare := make([]float64, len(doc.word))
			if bound := v.settle(doc, other, otherTh, otherLt, otherShare, next, weight); bound > bounds[d] {
				bounds[d], share[d] = bound, otherShare
				copy(g, other)
				copy(th, otherTh)
				copy(lt, otherLt)
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	if want {
		stats = make([]float64, v.V*K)
		// The topics are divided among the processors, so that each sum is always in the same order.
		const topics = 8
		parallel.Do((K+topics-1)/topics, 0, func(b int) {
			from, to := b*topics, min(K, (b+1)*topics)
			weight := make([]float64, K)
			for d, doc := range docs {
				th := theta[d*K : (d+1)*K]
				for i, w := range doc.word {
					row, phi := stats[int(w)*K:(int(w)+1)*K], v.phi[int(w)*K:(int(w)+1)*K]
					if s := share[d][i]; s > 0 {
						for k := from; k < to; k++ {
							row[k] += s * th[k] * phi[k]
						}
					} else {
						v.weights(logTheta[d*K:(d+1)*K], int(w), weight)
						for k := from; k < to; k++ {
							row[k] += doc.count[i] * weight[k]
						}
					}
				}
			}
		})
	}
	return floats.Sum(bounds), stats, nil
}

// settle updates γ of a document until γ converges, and calls expectTheta and spread to fill the slices th, lt and
// share. It returns the document's part of the bound. Two of the slices are buffers: next and weight.
func (v *variation) settle(doc document, g, th, lt, share, next, weight []float64) (bound float64) {
	for range v.inner {
		v.expectTheta(g, th, lt)
		v.spread(doc, th, lt, share, next, weight)
		change := 0.0
		for k, x := range next {
			x += v.alpha
			change += math.Abs(x - g[k])
			g[k] = x
		}
		if change <= v.innerTolerance*float64(v.K) {
			break
		}
	}
	log := v.expectTheta(g, th, lt)
	bound = v.spread(doc, th, lt, share, next, weight) + log*doc.size
	sum := 0.0
	for k, x := range g {
		bound += (v.alpha-x)*(lt[k]+log) + lgamma(x) - lgamma(v.alpha)
		sum += x
	}
	return bound + lgamma(float64(v.K)*v.alpha) - lgamma(sum)
}

// expectTheta sets lt to E[log θ] minus the largest element of E[log θ], and th to exp(lt). It returns this largest
// element.
func (v *variation) expectTheta(g, th, lt []float64) float64 {
	for k, x := range g {
		lt[k] = mathext.Digamma(x)
	}
	top := floats.Max(lt)
	floats.AddConst(-top, lt)
	vmath.Exp(th, lt)
	return top - mathext.Digamma(floats.Sum(g))
}

// spread sets next_k to Σ_w n_w q(z_w = k), with q(z_w = k) ∝ th_k phi_wk, and share_w to n_w / Σ_k th_k phi_wk. It
// returns Σ_w n_w log Σ_k exp(lt_k + E[log φ_kw]). Where Σ_k th_k phi_wk is too small to divide by, spread sets
// share_w to 0, and calls weights to compute q.
func (v *variation) spread(doc document, th, lt, share, next, weight []float64) (log float64) {
	clear(next)
	K := v.K
	for i, w := range doc.word {
		phi := v.phi[int(w)*K : (int(w)+1)*K]
		sum := 0.0
		for k, p := range phi {
			sum += th[k] * p
		}
		n := doc.count[i]
		if sum < 1e-150 {
			share[i] = 0
			log += n * v.weights(lt, int(w), weight)
			floats.AddScaled(next, n, weight)
			continue
		}
		s := n / sum
		share[i] = s
		log += n * (math.Log(sum) + v.top[w])
		for k, p := range phi {
			next[k] += s * th[k] * p
		}
	}
	return log
}

// weights sets weight_k to q(z_w = k), computed from logarithms, and returns log Σ_k exp(lt_k + E[log φ_kw]).
func (v *variation) weights(lt []float64, w int, weight []float64) float64 {
	floats.AddTo(weight, lt, v.logPhi[w*v.K:(w+1)*v.K])
	log := vmath.LogSumExp(weight)
	vmath.Softmax(weight, weight)
	return log
}

// topicBound returns the topics' part of the bound, Σ_k b_k with
//
//	b_k = Σ_w ((β − λ_kw) E[log φ_kw] + log Γ(λ_kw) − log Γ(β))
//	    + log Γ(Vβ) − log Γ(Σ_w λ_kw).
func (v *variation) topicBound() float64 {
	parts := make([]float64, v.V)
	const block = 64
	parallel.Do((v.V+block-1)/block, 0, func(b int) {
		for w := b * block; w < min(v.V, (b+1)*block); w++ {
			for i := w * v.K; i < (w+1)*v.K; i++ {
				parts[w] += (v.beta-v.lambda[i])*v.logPhi[i] + lgamma(v.lambda[i])
			}
		}
	})
	bound := floats.Sum(parts)
	bound += float64(v.K) * (lgamma(float64(v.V)*v.beta) - float64(v.V)*lgamma(v.beta))
	for _, s := range v.columns {
		bound -= lgamma(s)
	}
	return bound
}

// proportionsOf returns γ (N×K), with each row scaled to sum to 1.
func proportionsOf(gamma []float64, K int) *mat.Dense {
	out := mat.NewDense(len(gamma)/K, K, gamma)
	for d := range len(gamma) / K {
		row := out.RawRowView(d)
		floats.Scale(1/floats.Sum(row), row)
	}
	return out
}

// lgamma returns log Γ(x) for x > 0.
func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}
