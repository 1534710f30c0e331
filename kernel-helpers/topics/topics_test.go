package topics

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/memory"
	"overcomplete/kernel-helpers/regress"
)

// enumerated returns the expected shares of draws in which the first and the last word have the same topic,
// and in which the first word has topic 0. It sums over all assignments of a small corpus, weighted by their
// probability.
func enumerated(words [][]int32, V, K int, alpha, beta float64, y, eta []float64, sigma2 float64) (together, first float64) {
	var at [][2]int
	for d, w := range words {
		for i := range w {
			at = append(at, [2]int{d, i})
		}
	}
	lgamma := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	total := 0.
	z := make([]int, len(at))
	for {
		ndk, nkw, nk := make([]float64, len(words)*K), make([]float64, K*V), make([]float64, K)
		for j, a := range at {
			ndk[a[0]*K+z[j]]++
			nkw[z[j]*V+int(words[a[0]][a[1]])]++
			nk[z[j]]++
		}
		log := 0.
		for _, n := range ndk {
			log += lgamma(n + alpha)
		}
		for _, n := range nkw {
			log += lgamma(n + beta)
		}
		for _, n := range nk {
			log -= lgamma(n + float64(V)*beta)
		}
		for d := range y {
			fit := 0.
			for k, e := range eta {
				fit += e * ndk[d*K+k] / float64(len(words[d]))
			}
			log -= (y[d] - fit) * (y[d] - fit) / (2 * sigma2)
		}
		p := math.Exp(log)
		total += p
		if z[0] == z[len(z)-1] {
			together += p
		}
		if z[0] == 0 {
			first += p
		}
		j := 0
		for j < len(z) && z[j] == K-1 {
			z[j] = 0
			j++
		}
		if j == len(z) {
			return together / total, first / total
		}
		z[j]++
	}
}

// The chain's draws have the distribution given by the joint probability of all words and topics, computed
// with gamma functions that the chain does not use.
func TestChain(t *testing.T) {
	words := [][]int32{{0, 0, 1}, {1, 2, 0}}
	const V, K, alpha, beta, draws = 3, 2, 0.7, 0.3, 200000
	for _, supervised := range []bool{false, true} {
		c := newChain(t.Context(), words, V, K, alpha, beta, nil, 1)
		if supervised {
			c.y, c.eta, c.sigma2 = []float64{0.8, -0.5}, []float64{1, -0.6}, 0.3
		}
		wantTogether, wantFirst := enumerated(words, V, K, alpha, beta, c.y, c.eta, c.sigma2)
		together, first := 0., 0.
		for range draws {
			for d := range words {
				c.pass(d)
			}
			if c.z[0][0] == c.z[1][2] {
				together += 1. / draws
			}
			if c.z[0][0] == 0 {
				first += 1. / draws
			}
		}
		// Independent draws would have a standard error of 0.0011; consecutive draws are correlated.
		if math.Abs(together-wantTogether) > 0.01 || math.Abs(first-wantFirst) > 0.01 {
			t.Errorf("supervised %v: together %.4f, want %.4f; topic 0 %.4f, want %.4f", supervised, together, wantTogether, first, wantFirst)
		}
		if supervised && math.Abs(wantFirst-0.5) < 0.1 {
			t.Errorf("the response hardly matters: %v", wantFirst)
		}
	}
}

func corpus(t *testing.T, n int) *synth.Corpus {
	t.Helper()
	c, err := synth.Topics(t.Context(), synth.TopicsOptions{Documents: n, Topics: 4, Length: 60, ByWords: true, Noise: 0.2, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Both models find the topics of generated documents, and the supervised model also finds their coefficients.
// It predicts ratings of new documents better than a constant does.
func TestRecovery(t *testing.T) {
	c := corpus(t, 400)
	n, V := c.Counts.Dims()
	train, test := c.Counts.Slice(0, n/2, 0, V), c.Counts.Slice(n/2, n, 0, V)
	opt := &Options{Topics: 4, Alpha: 0.3, Beta: 0.1, Passes: 60, Seed: 1}
	before := mat.DenseCopyOf(c.Counts)
	m, err := Fit(t.Context(), train, opt)
	if err != nil {
		t.Fatal(err)
	}
	s, err := FitSupervised(t.Context(), train, c.Ratings[:n/2], opt)
	if err != nil {
		t.Fatal(err)
	}
	for name, topics := range map[string]*mat.Dense{"Fit": m.Topics, "FitSupervised": s.Topics} {
		for k := range 4 {
			best := 2.
			for j := range 4 {
				off := 0.
				for w := range V {
					off += math.Abs(topics.At(j, w)-c.Topics.At(k, w)) / 2
				}
				best = min(best, off)
			}
			if best > 0.25 { // total variation
				t.Errorf("%s: no topic is near topic %d: %.2f", name, k, best)
			}
		}
	}
	Z, err := m.Transform(t.Context(), test, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := regress.FitRidge(t.Context(), m.Proportions, c.Ratings[:n/2], 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Predict(t.Context(), test, nil)
	if err != nil {
		t.Fatal(err)
	}
	truth := c.Ratings[n/2:]
	if a, b := regress.PredictiveR2(truth, r.Predict(Z)), regress.PredictiveR2(truth, p); a < 0.5 || b < 0.6 {
		t.Errorf("predictive R² %.3f and %.3f", a, b)
	}
	for _, M := range []*mat.Dense{Z, m.Proportions, s.Proportions, m.Topics} {
		rows, _ := M.Dims()
		for i := range rows {
			if sum := mat.Sum(M.RowView(i)); math.Abs(sum-1) > 1e-9 || mat.Min(M.RowView(i)) < 0 {
				t.Fatalf("row %d sums to %v", i, sum)
			}
		}
	}
	if !mat.Equal(before, c.Counts) {
		t.Error("the counts were changed")
	}
	again, err := FitSupervised(t.Context(), train, c.Ratings[:n/2], opt)
	if err != nil || !slices.Equal(again.Eta, s.Eta) || !mat.Equal(again.Topics, s.Topics) {
		t.Errorf("another result with the same seed: %v", err)
	}
	if m.History[59] <= m.History[0] {
		t.Errorf("history %v", m.History)
	}
}

func TestRefused(t *testing.T) {
	good := mat.NewDense(2, 2, []float64{1, 2, 0, 1})
	ctx := t.Context()
	for name, f := range map[string]func() error{
		"document 1 has word 0 NaN": func() error { _, err := Fit(ctx, mat.NewDense(2, 2, []float64{1, 2, math.NaN(), 1}), nil); return err },
		"document 0 has word 1 0.5": func() error { _, err := Fit(ctx, mat.NewDense(1, 2, []float64{1, 0.5}), nil); return err },
		"document 0 has word 0 -1":  func() error { _, err := Fit(ctx, mat.NewDense(1, 2, []float64{-1, 1}), nil); return err },
		"none of the 2 documents":   func() error { _, err := Fit(ctx, mat.NewDense(2, 2, nil), nil); return err },
		"0×0":                       func() error { _, err := Fit(ctx, &mat.Dense{}, nil); return err },
		"Alpha is NaN":              func() error { _, err := Fit(ctx, good, &Options{Alpha: math.NaN()}); return err },
		"Passes is -1":              func() error { _, err := Fit(ctx, good, &Options{Passes: -1}); return err },
		"BurnIn is 7":               func() error { _, err := Fit(ctx, good, &Options{Passes: 7, BurnIn: 7}); return err },
		"response of document 1":    func() error { _, err := FitSupervised(ctx, good, []float64{1, math.Inf(1)}, nil); return err },
	} {
		if err := f(); err == nil || !strings.HasPrefix(err.Error(), "topics: ") || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
	m, err := Fit(ctx, good, &Options{Topics: 2, Passes: 4})
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"nil":       func() { _, _ = Fit(ctx, nil, nil) },
		"responses": func() { _, _ = FitSupervised(ctx, good, []float64{1}, nil) },
		"topics":    func() { _, _ = m.Transform(ctx, mat.NewDense(1, 3, []float64{1, 1, 1}), nil) },
	} {
		if r, ok := panics.Value(f).(string); !ok || !strings.HasPrefix(r, "topics: ") || !strings.Contains(r, name) {
			t.Errorf("%v, want %q", r, name)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Fit(ended, good, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The proportions of a document without words are equal, and the coefficients for constant responses are 0.
func TestDegenerate(t *testing.T) {
	X := mat.NewDense(3, 2, []float64{4, 0, 0, 0, 0, 4})
	s, err := FitSupervised(t.Context(), X, []float64{2, 2, 2}, &Options{Topics: 2, Passes: 10})
	if err != nil {
		t.Fatal(err)
	}
	if s.Proportions.At(1, 0) != 0.5 {
		t.Errorf("%v", mat.Formatted(s.Proportions))
	}
	p, err := s.Predict(t.Context(), X, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range p {
		if math.Abs(v-2) > 1e-9 {
			t.Errorf("predicted %v", p)
		}
	}
}

// If no word is in two topics, each word's topic is certain, and proportions and perplexity have closed forms.
func TestCertainTopics(t *testing.T) {
	m := &Model{Topics: mat.NewDense(2, 4, []float64{0.25, 0.75, 0, 0, 0, 0, 0.5, 0.5}), Alpha: 0.3, Beta: 0.01}
	seen := mat.NewDense(3, 4, []float64{2, 1, 1, 0, 0, 0, 0, 5, 0, 0, 0, 0})
	held := mat.NewDense(3, 4, []float64{1, 0, 0, 2, 0, 3, 0, 0, 1, 0, 1, 0})
	plain := mat.NewDense(3, 2, []float64{0.75, 0.25, 0, 1, 0.5, 0.5})
	smooth := mat.NewDense(3, 2, []float64{3.3 / 4.6, 1.3 / 4.6, 0.3 / 5.6, 5.3 / 5.6, 0.5, 0.5})
	log := 0.0
	for d := range 3 {
		for w := range 4 {
			log += held.At(d, w) * math.Log(smooth.At(d, w/2)*m.Topics.At(w/2, w))
		}
	}
	want := math.Exp(-log / 8)
	for _, counts := range []mat.Matrix{seen, csr.Of(seen), mat.DenseCopyOf(seen.T()).T()} {
		for smoothed, want := range map[bool]*mat.Dense{false: plain, true: smooth} {
			Z, err := m.Transform(t.Context(), counts, &InferOptions{Smoothed: smoothed})
			if err != nil || !mat.EqualApprox(Z, want, 1e-14) {
				t.Errorf("%T, smoothed %v: %v, %v", counts, smoothed, mat.Formatted(Z), err)
			}
		}
		got, err := m.Perplexity(t.Context(), counts, held, nil)
		if err != nil || math.Abs(got-want) > 1e-12*want {
			t.Errorf("%T: perplexity %v, want %v (%v)", counts, got, want, err)
		}
	}
	// Predict is a regression on z̄, smoothed or not.
	s := &SupervisedModel{Model: *m, Eta: []float64{1, -1}}
	y, err := s.Predict(t.Context(), seen, &InferOptions{Smoothed: true})
	if err != nil || math.Abs(y[0]-0.5) > 1e-14 || math.Abs(y[1]+1) > 1e-14 {
		t.Errorf("predicted %v, %v", y, err)
	}
	for want, f := range map[string]func() error{
		"none of the 3 documents": func() error { _, err := m.Perplexity(t.Context(), seen, mat.NewDense(3, 4, nil), nil); return err },
		"Perplexity: Passes is -1": func() error {
			_, err := m.Perplexity(t.Context(), seen, held, &InferOptions{Passes: -1})
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A model with the right number of topics predicts the other halves of documents better than a model with one
// topic, whose perplexity has a closed form, and nearly as well as the topics that made them.
func TestPerplexity(t *testing.T) {
	c := corpus(t, 200)
	n, V := c.Counts.Dims()
	seen, held := mat.NewDense(n, V, nil), mat.NewDense(n, V, nil)
	for d := range n {
		for w := range V {
			k := c.Counts.At(d, w)
			seen.Set(d, w, math.Ceil(k/2))
			held.Set(d, w, math.Floor(k/2))
		}
	}
	perplexity := func(K int) (*Model, float64) {
		m, err := Fit(t.Context(), seen, &Options{Topics: K, Alpha: 0.3, Beta: 0.1, Passes: 60, Seed: 1, Smoothed: true})
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Perplexity(t.Context(), seen, held, nil)
		if err != nil {
			t.Fatal(err)
		}
		return m, p
	}
	one, p1 := perplexity(1)
	log, total := 0.0, mat.Sum(held)
	for w := range V {
		log += mat.Sum(held.ColView(w)) * math.Log(one.Topics.At(0, w))
	}
	if want := math.Exp(-log / total); math.Abs(p1-want) > 1e-9*want {
		t.Errorf("one topic: perplexity %v, want %v", p1, want)
	}
	m, p4 := perplexity(4)
	best, err := (&Model{Topics: c.Topics, Alpha: 0.3, Beta: 0.1}).Perplexity(t.Context(), seen, held, nil)
	if err != nil || p4 > 0.9*p1 || p4 > 1.1*best || p4 < 0.9*best {
		t.Errorf("perplexity %v with 4 topics, %v with one, %v by the true topics, %v", p4, p1, best, err)
	}
	if mat.Min(m.Proportions) <= 0 {
		t.Error("a smoothed proportion is 0")
	}
}

// Sparse counts give the same model as dense ones. The list of words takes about 4 bytes for each word. If counts would
// take too much memory, an error says how much.
func TestCounts(t *testing.T) {
	c := corpus(t, 30)
	o := &Options{Topics: 3, Passes: 6, Seed: 2}
	a, err := Fit(t.Context(), c.Counts, o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Fit(t.Context(), csr.Of(c.Counts), o)
	if err != nil || !mat.Equal(a.Topics, b.Topics) || !mat.Equal(a.Proportions, b.Proportions) {
		t.Errorf("another model of the sparse counts, %v", err)
	}
	counts := mat.NewDense(1, 2, []float64{1e6, 1})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := tokens(t.Context(), "Fit", counts, 2); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 5e6 {
		t.Errorf("the list of 1e6 words took %d bytes, want 4 for each", took)
	}
	defer memory.SetLimit(memory.SetLimit(1e6))
	if _, err := Fit(t.Context(), counts, o); err == nil || !strings.Contains(err.Error(), "1000001 words of 1 documents in 3 topics would take about 8 MB") {
		t.Error(err)
	}
	counts.Set(0, 0, 2e9)
	counts.Set(0, 1, 2e8)
	if _, err := Fit(t.Context(), counts, o); err == nil || !strings.Contains(err.Error(), "2200000000 words") {
		t.Error(err)
	}
}

// A nil context never ends, and a zero model returns an error that says so.
func TestNil(t *testing.T) {
	counts := mat.NewDense(4, 3, []float64{2, 1, 0, 3, 0, 0, 0, 1, 2, 0, 0, 4})
	o := &Options{Topics: 2, Passes: 6, Seed: 1}
	m, err := Fit(nil, counts, o)
	if err != nil {
		t.Fatal(err)
	}
	if Z, err := m.Transform(nil, counts, nil); err != nil || Z.At(0, 0)+Z.At(0, 1) < 1-1e-12 {
		t.Error(Z, err)
	}
	s, err := FitSupervised(nil, counts, []float64{1, 1, 3, 3}, o)
	if err != nil {
		t.Fatal(err)
	}
	if y, err := s.Predict(nil, counts, nil); err != nil || len(y) != 4 {
		t.Error(y, err)
	}
	for name, f := range map[string]func(){
		"topics: Transform: ": func() { new(Model).Transform(t.Context(), counts, nil) },
		"topics: Predict: ":   func() { (*SupervisedModel)(nil).Predict(t.Context(), counts, nil) },
	} {
		if s, _ := panics.Value(f).(string); !strings.HasPrefix(s, name) {
			t.Errorf("panic %q, must begin with %q", s, name)
		}
	}
}
