package topics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/ui/progress"
)

// evidence returns log P(words) of a small corpus by summing over all assignments of topics, with θ and φ integrated
// out.
func evidence(words [][]int32, V, K int, alpha, beta float64) float64 {
	var at [][2]int
	for d, w := range words {
		for i := range w {
			at = append(at, [2]int{d, i})
		}
	}
	total := 0.0
	for code := range int(math.Pow(float64(K), float64(len(at)))) {
		ndk, nkw, nk, nd := make([]float64, len(words)*K), make([]float64, K*V), make([]float64, K), make([]float64, len(words))
		for _, a := range at {
			k := code % K
			code /= K
			ndk[a[0]*K+k]++
			nkw[k*V+int(words[a[0]][a[1]])]++
			nk[k]++
			nd[a[0]]++
		}
		log := 0.0
		for _, n := range ndk {
			log += lgamma(n+alpha) - lgamma(alpha)
		}
		for _, n := range nd {
			log += lgamma(float64(K)*alpha) - lgamma(n+float64(K)*alpha)
		}
		for _, n := range nkw {
			log += lgamma(n+beta) - lgamma(beta)
		}
		for _, n := range nk {
			log += lgamma(float64(V)*beta) - lgamma(n+float64(V)*beta)
		}
		total += math.Exp(log)
	}
	return math.Log(total)
}

// TestBound: the bound is below log P(words) of a small corpus, and equal to it for one topic, where q is exact.
func TestBound(t *testing.T) {
	words := [][]int32{{0, 0, 1, 1}, {1, 2, 0}, {2, 2}}
	counts := mat.NewDense(3, 3, nil)
	for d, list := range words {
		for _, w := range list {
			counts.Set(d, int(w), counts.At(d, int(w))+1)
		}
	}
	for _, alpha := range []float64{0.05, 0.7, 3} {
		for K := 1; K <= 3; K++ {
			want := evidence(words, 3, K, alpha, 0.3)
			for seed := range uint64(3) {
				m, err := FitVariational(t.Context(), counts, &VariationalOptions{Topics: K, Alpha: alpha, Beta: 0.3, Seed: seed, Tolerance: 1e-12, MaxIterations: 5000, InnerTolerance: 1e-10, Inner: 2000})
				if err != nil {
					t.Fatal(err)
				}
				if m.Bound > want+1e-9 || K == 1 && math.Abs(m.Bound-want) > 1e-9 {
					t.Errorf("K = %d, α = %v: the bound is %v, log P is %v", K, alpha, m.Bound, want)
				}
				// With a small α, γ has several optima, and BoundOf may find a different one.
				b, p, err := m.BoundOf(t.Context(), counts)
				if err != nil || b > want+1e-6 || alpha > 0.5 && math.Abs(b-m.Bound) > 1e-6 || math.Abs(p-math.Exp(-b/9)) > 1e-12 {
					t.Errorf("K = %d, α = %v: BoundOf is %v, %v, the bound %v, log P is %v, %v", K, alpha, b, p, m.Bound, want, err)
				}
			}
		}
	}
}

// variationAt returns the state of m, and the bound as a function of λ and γ.
func variationAt(m *Variational, docs []document) (v *variation, bound func(gamma []float64) float64) {
	K, V := m.Lambda.Dims()
	v = newVariation(V, K, m.Alpha, m.Beta, 0, 0) // no updates of γ
	for k := range K {
		for w, l := range m.Lambda.RawRowView(k) {
			v.lambda[w*K+k] = l
		}
	}
	return v, func(gamma []float64) float64 {
		v.expect()
		b, _, err := v.infer(context.Background(), docs, gamma, false, false)
		if err != nil {
			panic(err)
		}
		return b + v.topicBound()
	}
}

// TestBoundStationary: at the end the derivatives of the bound with respect to λ and γ, computed by central
// differences, are 0, and no pass lowered it. The counts are not integers.
func TestBoundStationary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	counts := mat.NewDense(6, 8, nil)
	counts.Apply(func(_, _ int, _ float64) float64 { return math.Max(0, 3*rng.NormFloat64()) }, counts)
	m, err := FitVariational(t.Context(), counts, &VariationalOptions{Topics: 3, Alpha: 0.5, Beta: 0.4, Tolerance: 1e-15, MaxIterations: 20000, InnerTolerance: 1e-11, Inner: 5000})
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	for i, b := range m.History[1:] {
		if b < m.History[i]-1e-12 {
			t.Errorf("pass %d lowers the bound from %v to %v", i+1, m.History[i], b)
		}
	}
	docs, _, err := documents(t.Context(), "test", counts, 3)
	if err != nil {
		t.Fatal(err)
	}
	v, bound := variationAt(m, docs)
	gamma := make([]float64, 18)
	for d := range 6 {
		for k := range 3 {
			gamma[3*d+k] = m.Proportions.At(d, k) * (docs[d].size + 3*m.Alpha)
		}
	}
	if b := bound(gamma); math.Abs(b-m.Bound) > 1e-8 {
		t.Errorf("the bound is %v, want %v", m.Bound, b)
	}
	for name, x := range map[string][]float64{"λ": v.lambda, "γ": gamma} {
		for i, at := range x {
			h := 1e-4 * at
			x[i] = at + h
			up := bound(gamma)
			x[i] = at - h
			down := bound(gamma)
			x[i] = at
			if slope := (up - down) / 2e-4; math.Abs(slope) > 1e-4 {
				t.Errorf("%s %d = %v: the derivative is %v", name, i, at, slope)
			}
		}
	}
}

// TestVariationalCounts: a csr.Matrix gives the same bits as a dense one, and so does any number of processors.
// Proportions sum to 1, the counts are not modified, and a document that occurs twice has the same proportions both
// times.
func TestVariationalCounts(t *testing.T) {
	c := corpus(t, 60).Counts
	N, V := c.Dims()
	for _, batch := range []int{0, 16} {
		o := &VariationalOptions{Topics: 4, Batch: batch, MaxIterations: 5, Seed: 2}
		before := mat.DenseCopyOf(c)
		a, err := FitVariational(t.Context(), c, o)
		if ended.Accept(err) != nil {
			t.Fatal(err)
		}
		if !mat.Equal(before, c) {
			t.Error("the counts were changed")
		}
		old := runtime.GOMAXPROCS(3)
		b, err := FitVariational(t.Context(), csr.Of(c), o)
		runtime.GOMAXPROCS(old)
		if ended.Accept(err) != nil {
			t.Fatal(err)
		}
		if !mat.Equal(a.Lambda, b.Lambda) || !mat.Equal(a.Proportions, b.Proportions) || a.Bound != b.Bound || !slices.Equal(a.History, b.History) {
			t.Errorf("batch %d: sparse counts, or three processors, differ", batch)
		}
		for d := range N {
			if s := mat.Sum(a.Proportions.RowView(d)); math.Abs(s-1) > 1e-12 {
				t.Errorf("proportions sum to %v", s)
			}
		}
	}
	o := &VariationalOptions{Topics: 4, Seed: 2, MaxIterations: 4}
	half := mat.NewDense(2*N, V, nil)
	half.Apply(func(d, w int, _ float64) float64 { return c.At(d/2, w) }, half)
	a, err := FitVariational(t.Context(), half, o)
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	for d := range N {
		if !mat.Equal(a.Proportions.RowView(2*d), a.Proportions.RowView(2*d+1)) {
			t.Errorf("document %d and its copy differ", d)
		}
	}
}

// TestVariationalRecovery: topics of generated documents are found, in batch and online, and predict the second half
// of new documents about as well as the topics of Gibbs sampling.
func TestVariationalRecovery(t *testing.T) {
	c := corpus(t, 400)
	N, V := c.Counts.Dims()
	train := c.Counts.Slice(0, N/2, 0, V)
	seen, held := mat.NewDense(N/2, V, nil), mat.NewDense(N/2, V, nil)
	for d := range N / 2 {
		for w := range V {
			n := int(c.Counts.At(N/2+d, w))
			seen.Set(d, w, float64((n+w%2)/2))
			held.Set(d, w, float64(n-(n+w%2)/2))
		}
	}
	gibbs, err := Fit(t.Context(), train, &Options{Topics: 4, Alpha: 0.3, Beta: 0.1, Passes: 60, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	want, err := gibbs.Perplexity(t.Context(), seen, held, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int{0, 50} {
		passes := 0
		if batch > 0 {
			passes = 30
		}
		m, err := FitVariational(t.Context(), train, &VariationalOptions{Topics: 4, Alpha: 0.3, Beta: 0.1, Batch: batch, MaxIterations: passes, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Perplexity(t.Context(), seen, held)
		if err != nil {
			t.Fatal(err)
		}
		if got > 1.02*want {
			t.Errorf("batch %d: perplexity %v, by Gibbs sampling %v", batch, got, want)
		}
		for k := range 4 {
			best := 2.0
			for j := range 4 {
				off := 0.0
				for w := range V {
					off += math.Abs(m.Topics.At(k, w) - c.Topics.At(j, w))
				}
				best = min(best, off)
			}
			if best > 0.3 { // of at most 2
				t.Errorf("batch %d: topic %d is %v from all topics", batch, k, best)
			}
		}
	}
}

// TestVariationalTinyPriors: with priors so small that exp(E[log θ]) underflows, everything stays finite and the bound
// does not fall.
func TestVariationalTinyPriors(t *testing.T) {
	c := corpus(t, 20).Counts
	m, err := FitVariational(t.Context(), c, &VariationalOptions{Topics: 5, Alpha: 1e-5, Beta: 1e-5, MaxIterations: 30})
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	for i, b := range m.History {
		if math.IsNaN(b) || i > 0 && b < m.History[i-1]-1e-6*math.Abs(b) {
			t.Errorf("pass %d: the bound is %v after %v", i, b, m.History[max(0, i-1)])
		}
	}
	if s := mat.Sum(m.Proportions); math.Abs(s-20) > 1e-9 || math.IsInf(m.Bound, 0) {
		t.Errorf("proportions sum to %v, the bound is %v", s, m.Bound)
	}
}

func TestVariationalRefuses(t *testing.T) {
	c := mat.NewDense(2, 3, []float64{1, 0, 2.5, 0, 1, 1})
	for want, o := range map[string]VariationalOptions{
		"Topics is -1":     {Topics: -1},
		"Alpha is NaN":     {Alpha: math.NaN()},
		"Decay is 2":       {Decay: 2},
		"Offset is 0.5":    {Offset: 0.5, Batch: 1},
		"Batch is -1":      {Batch: -1},
		"InnerTolerance i": {InnerTolerance: math.Inf(1)},
	} {
		if _, err := FitVariational(t.Context(), c, &o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	for want, bad := range map[string]float64{"document 1 has word 2 -1 times": -1, "word 2 NaN times": math.NaN(), "word 2 +Inf times": math.Inf(1)} {
		x := mat.DenseCopyOf(c)
		x.Set(1, 2, bad)
		if _, err := FitVariational(t.Context(), x, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	m, err := FitVariational(t.Context(), c, &VariationalOptions{MaxIterations: 1})
	if !errors.Is(err, ended.ErrNotConverged) || m.Status != ended.IterationLimit || m.Proportions == nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := &VariationalOptions{Recorder: progress.Func(func(progress.Event) { cancel() })}
	if m, err := FitVariational(ctx, c, o); !errors.Is(err, context.Canceled) || m == nil || m.Status != ended.Interrupted || m.Topics == nil {
		t.Error(m, err)
	}
	if _, err := FitVariational(ctx, c, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestVariationalSklearn compares λ, proportions, the bound and the perplexity with scikit-learn's
// LatentDirichletAllocation from the same start, in batch and online with the same order of documents.
func TestVariationalSklearn(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np\nfrom sklearn.decomposition import LatentDirichletAllocation\nfrom sklearn.decomposition._online_lda_fast import _dirichlet_expectation_2d", "numpy", "sklearn")
	c := mat.DenseCopyOf(corpus(t, 50).Counts)
	c.Scale(0.75, c) // not integers
	const K, seed = 3, 4
	N, V := c.Dims()
	py.Array("X", c)
	// The start, and the orders of the passes, as FitVariational draws them.
	rng := rand.New(rand.NewPCG(seed, 0x766172))
	first := mat.NewDense(V, K, nil)
	first.Apply(func(_, _ int, _ float64) float64 { return math.Max(0.1, 1+0.1*rng.NormFloat64()) }, first)
	orders := mat.NewDense(4, N, nil)
	for p := range 4 {
		for i, d := range rng.Perm(N) {
			orders.Set(p, i, float64(d))
		}
	}
	py.Array("L", first)
	py.Array("orders", orders)
	// Without batches, compare only one pass: in the next pass γ starts from its last value here, but anew in
	// scikit-learn, and may reach another optimum.
	for batch, passes := range map[int]int{0: 1, 20: 4} {
		m, err := FitVariational(t.Context(), c, &VariationalOptions{Topics: K, Alpha: 0.3, Beta: 0.2, Batch: batch, MaxIterations: passes, Seed: seed, InnerTolerance: 1e-9, Inner: 3000})
		if ended.Accept(err) != nil {
			t.Fatal(err)
		}
		py.Do(fmt.Sprintf(`
m = LatentDirichletAllocation(n_components=3, doc_topic_prior=0.3, topic_word_prior=0.2, mean_change_tol=1e-9, max_doc_update_iter=3000, total_samples=len(X), random_state=1)
m._init_latent_vars(X.shape[1], X.dtype)
m.components_ = L.T.copy()
m.exp_dirichlet_component_ = np.exp(_dirichlet_expectation_2d(m.components_))
m.n_batch_iter_ = 0
m.n_features_in_ = X.shape[1]
batch = %d
for order in orders.astype(int)[:%d]:
    if batch == 0:
        m._em_step(X, total_samples=len(X), batch_update=True)
    else:
        for s in range(0, len(X), batch):
            m._em_step(X[order[s:s + batch]], total_samples=len(X), batch_update=False)
`, batch, passes))
		near := func(what string, got, want []float64, relative float64) {
			t.Helper()
			for i, w := range want {
				if math.Abs(got[i]-w) > relative*(1+math.Abs(w)) {
					t.Errorf("batch %d: %s is %v, scikit-learn's %v", batch, what, got[i], w)
					return
				}
			}
		}
		near("λ", m.Lambda.RawMatrix().Data, py.Floats("m.components_.ravel()"), 1e-6)
		theta, err := m.Transform(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		near("proportion", theta.RawMatrix().Data, py.Floats("m.transform(X).ravel()"), 1e-6)
		b, p, err := m.BoundOf(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		near("bound", []float64{b}, py.Floats("np.array([m.score(X)])"), 1e-6)
		near("perplexity", []float64{p}, py.Floats("np.array([m.perplexity(X)])"), 1e-6)
	}
}

// TestVariationalLeavesStart: γ does not stay at the optimum that it found when all topics were alike, where the bound
// is 2 % below that of the γ found from equal shares for the same λ.
func TestVariationalLeavesStart(t *testing.T) {
	c := corpus(t, 200).Counts
	m, err := FitVariational(t.Context(), c, &VariationalOptions{Topics: 4, Alpha: 0.1, Beta: 0.1, Seed: 1, MaxIterations: 8})
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	b, _, err := m.BoundOf(t.Context(), c)
	if err != nil || m.Bound < b-1e-3*math.Abs(b) {
		t.Errorf("the bound is %v, from equal shares %v, %v", m.Bound, b, err)
	}
}
