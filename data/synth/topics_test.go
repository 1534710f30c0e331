package synth

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// All parts of a corpus are consistent.
func TestCorpusIsConsistent(t *testing.T) {
	for _, opt := range []TopicsOptions{
		{Documents: 200, Seed: 1},
		{Documents: 150, Topics: 7, Vocabulary: 300, Length: 30, Alpha: 0.01, Beta: 0.01, ByWords: true, Classes: 3, Seed: 2},
		{Documents: 50, Topics: 3, Vocabulary: 20, Length: 1, Alpha: 100, Beta: 50, Coefficients: []float64{1, 5, -3}, Thresholds: []float64{0.5, 1.5, 2}, Seed: 3},
	} {
		c := topics(t, opt)
		n, V := c.Counts.Dims()
		K, W := c.Topics.Dims()
		if n != opt.Documents || V != W || V != len(c.Words) || K != len(c.TopicNames) || K != len(c.Coefficients) {
			t.Fatalf("%+v: %d × %d words, %d topics", opt, n, V, K)
		}
		for _, p := range []*mat.Dense{c.Topics, c.Theta} {
			r, _ := p.Dims()
			for i := range r {
				if s := stat.Mean(p.RawRowView(i), nil) * float64(len(p.RawRowView(i))); math.Abs(s-1) > 1e-9 || slices.Min(p.RawRowView(i)) < 0 {
					t.Fatalf("%+v: row %d has sum %v", opt, i, s)
				}
			}
		}
		classes := map[int]int{}
		for i := range n {
			counts, share := make([]float64, V), make([]float64, K)
			for j, w := range c.Tokens[i] {
				counts[w]++
				share[c.Assignments[i][j]] += 1 / float64(len(c.Tokens[i]))
				if c.Topics.At(c.Assignments[i][j], w) == 0 {
					t.Fatalf("word %d has probability 0 in its topic", w)
				}
			}
			if len(c.Tokens[i]) == 0 || !slices.Equal(counts, c.Counts.RawRowView(i)) {
				t.Fatalf("%+v: the counts of document %d are not those of its words", opt, i)
			}
			if words := strings.Fields(c.Text(i)); len(words) != len(c.Tokens[i]) || words[0] != c.Words[c.Tokens[i][0]] {
				t.Fatalf("text %q", c.Text(i))
			}
			if !opt.ByWords {
				share = c.Theta.RawRowView(i)
			}
			want := 0.0
			for k, eta := range c.Coefficients {
				want += eta * share[k]
			}
			if math.Abs(c.Ratings[i]-want) > 1e-12 {
				t.Fatalf("%+v: rating %v, want %v", opt, c.Ratings[i], want)
			}
			label := 0
			for _, th := range c.Thresholds {
				if c.Ratings[i] >= th {
					label++
				}
			}
			if label != c.Labels[i] {
				t.Fatalf("label %d, want %d", c.Labels[i], label)
			}
			classes[label]++
		}
		if opt.Thresholds == nil && !opt.ByWords { // z̄ has ties, so the classes are not exactly equal
			for k := range max(2, opt.Classes) {
				if classes[k] != n/max(2, opt.Classes) {
					t.Errorf("%+v: classes of %v", opt, classes)
				}
			}
		}
	}
}

// TestDirichlet checks the moments of the Dirichlet distribution for small and large parameters: means
// a_k/a₀, variances m(1−m)/(a₀+1).
func TestDirichlet(t *testing.T) {
	for _, a := range [][]float64{{0.001, 0.002, 0.001}, {0.3, 0.3, 0.3, 0.3}, {1, 2, 0.5}, {40, 10, 300}} {
		rnd := random(1, streamTopics, 0)
		const n = 40_000
		sum := 0.0
		for _, v := range a {
			sum += v
		}
		draws := mat.NewDense(n, len(a), nil)
		for i := range n {
			dirichlet(draws.RawRowView(i), a, rnd)
		}
		for k, v := range a {
			x := mat.Col(nil, k, draws)
			mean, variance := stat.MeanVariance(x, nil)
			m := v / sum
			want := m * (1 - m) / (sum + 1)
			if !(math.Abs(mean-m) < 4.5*math.Sqrt(want/n)) {
				t.Errorf("%v: mean %d is %v, want %v", a, k, mean, m)
			}
			if !(math.Abs(variance/want-1) < 0.06) {
				t.Errorf("%v: variance %d is %v, want %v", a, k, variance, want)
			}
		}
	}
}

// Words come from their topics, and topics from θ: in a long corpus the observed frequencies agree with the
// parameters within chance (χ² tests).
func TestWordsFollowTheTopics(t *testing.T) {
	c := topics(t, TopicsOptions{Documents: 2000, Topics: 3, Vocabulary: 30, Length: 200, Beta: 1, Seed: 5})
	count := mat.NewDense(3, 30, nil)
	length := 0.0
	chi2, cells := 0.0, 0.0
	for i, tokens := range c.Tokens {
		length += float64(len(tokens)) / 2000
		var share [3]float64
		for j, w := range tokens {
			k := c.Assignments[i][j]
			share[k]++
			count.Set(k, w, count.At(k, w)+1)
		}
		for k, s := range share {
			p, N := c.Theta.At(i, k), float64(len(tokens))
			if p*N > 5 && (1-p)*N > 5 {
				chi2 += (s - p*N) * (s - p*N) / (p * (1 - p) * N)
				cells++
			}
		}
	}
	if r := chi2 / cells; r < 0.85 || r > 1.15 || cells < 1000 {
		t.Errorf("topics: χ² of %.3f for each of %v cells", r, cells)
	}
	if math.Abs(length-200) > 1.5 { // ± 0.32
		t.Errorf("mean length %v", length)
	}
	for k := range 3 {
		N := 0.0
		for _, v := range count.RawRowView(k) {
			N += v
		}
		chi2 := 0.0
		for w, v := range count.RawRowView(k) {
			want := N * c.Topics.At(k, w)
			chi2 += (v - want) * (v - want) / want
		}
		if chi2 > 29+4.5*math.Sqrt(2*29) {
			t.Errorf("words of topic %d: χ² of %v with 29 degrees of freedom", k, chi2)
		}
	}
}

// The noise has the requested standard deviation, and changes neither words nor topics.
func TestNoiseOfRatings(t *testing.T) {
	a := topics(t, TopicsOptions{Documents: 4000, Length: 5, Seed: 6})
	b := topics(t, TopicsOptions{Documents: 4000, Length: 5, Noise: 0.7, Seed: 6})
	if !mat.Equal(a.Counts, b.Counts) || !mat.Equal(a.Theta, b.Theta) {
		t.Error("noise changes the documents")
	}
	d := make([]float64, 4000)
	for i := range d {
		d[i] = b.Ratings[i] - a.Ratings[i]
	}
	if m, sd := stat.MeanStdDev(d, nil); math.Abs(m) > 0.05 || math.Abs(sd-0.7) > 0.035 {
		t.Errorf("noise of mean %v, deviation %v", m, sd)
	}
}

// A reader who knows the themes can predict the rating from the words: the sum of η over the themes of a
// document's words correlates with the rating.
func TestReviewsAreReadable(t *testing.T) {
	c := topics(t, TopicsOptions{Seed: 7})
	if !slices.Equal(c.TopicNames, []string{"acting", "plot", "music", "effects", "humour"}) {
		t.Errorf("topics %q", c.TopicNames)
	}
	for k, th := range themes {
		own, foreign := 0, 0
		for _, w := range c.TopWords(k, 20) {
			if slices.Contains(th.words, w) {
				own++
			} else if !slices.Contains(neutral, w) {
				foreign++ // rare but possible
			}
		}
		if own < 8 || foreign > 3 {
			t.Errorf("%d of the top 20 words of %s are its own, %d another's", own, th.name, foreign)
		}
	}
	score := make([]float64, len(c.Ratings))
	for i := range score {
		total := 1e-9
		for _, w := range strings.Fields(c.Text(i)) {
			for k, th := range themes {
				if slices.Contains(th.words, w) {
					score[i] += c.Coefficients[k]
					total++
				}
			}
		}
		score[i] /= total
	}
	if r := stat.Correlation(score, c.Ratings, nil); r < 0.95 {
		t.Errorf("correlation %v", r)
	}
}

func TestVocabularyHasNoWordTwice(t *testing.T) {
	seen := map[string]bool{}
	words, _, _ := reviews(5, 0.1)
	for _, w := range words {
		if seen[w] {
			t.Errorf("%q stands in the vocabulary twice", w)
		}
		seen[w] = true
	}
	clear(seen)
	for v := range 100_000 {
		seen[madeUpWord(v)] = true
	}
	if len(seen) != 100_000 {
		t.Errorf("%d words of 100,000", len(seen))
	}
}

func TestTopicsAreDeterministic(t *testing.T) {
	opt := TopicsOptions{Documents: 50, Noise: 0.1, Seed: 7}
	a := topics(t, opt)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b := topics(t, opt)
	if !mat.Equal(a.Counts, b.Counts) || !slices.Equal(a.Ratings, b.Ratings) || !mat.Equal(a.Topics, b.Topics) {
		t.Error("the documents depend on the number of processors")
	}
	opt.Seed++
	if c := topics(t, opt); mat.Equal(a.Counts, c.Counts) || mat.Equal(a.Topics, c.Topics) {
		t.Error("the documents do not depend on the seed")
	}
	opt.Coefficients, opt.Thresholds = []float64{1, 2, 3, 4, 5}, []float64{2, 3}
	c := topics(t, opt)
	c.Coefficients[0], c.Thresholds[0] = 9, 9
	if opt.Coefficients[0] != 1 || opt.Thresholds[0] != 2 {
		t.Error("the result shares memory with the options")
	}
}

func TestTopicsRefusals(t *testing.T) {
	for _, o := range []TopicsOptions{
		{Documents: -1}, {Documents: 1 << 40}, {Topics: 1}, {Topics: -1}, {Topics: 6}, {Topics: 1 << 40, Vocabulary: 10},
		{Vocabulary: 1}, {Vocabulary: -1}, {Vocabulary: 1 << 40}, {Topics: 1000, Vocabulary: 100_000},
		{Length: 0.5}, {Length: math.NaN()}, {Length: 1e9}, {Documents: 200_000, Length: 10_000},
		{Alpha: -1}, {Alpha: math.NaN()}, {Beta: 1e-9}, {Beta: math.Inf(1)}, {Noise: -1}, {Noise: math.NaN()},
		{Coefficients: []float64{1}}, {Coefficients: []float64{1, 2, 3, 4, math.NaN()}},
		{Thresholds: []float64{2, 1}}, {Thresholds: []float64{math.NaN()}}, {Thresholds: []float64{}}, {Thresholds: []float64{1}, Classes: 3},
		{Classes: 1}, {Classes: -1}, {Classes: 501},
	} {
		if _, err := Topics(t.Context(), o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func ExampleTopics() {
	c, err := Topics(context.Background(), TopicsOptions{Documents: 100, Noise: 0.2, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	n, V := c.Counts.Dims()
	fmt.Println(n, V, len(c.Ratings), c.TopicNames)
	// Output: 100 160 100 [acting plot music effects humour]
}
