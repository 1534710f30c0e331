package synth

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// TopicsOptions configures Topics.
type TopicsOptions struct {
	Documents int // n; 0: 500
	Topics    int // K, at least 2; 0: 5
	// Vocabulary is the number V of made-up words, at least 2. 0 means the built-in English words of film reviews, one
	// theme for each topic; then Topics is at most 5.
	Vocabulary int
	Length     float64 // mean number of words in a document, 1 to 10,000; 0 means 120
	Alpha      float64 // parameter of the Dirichlet distribution of each θ, 0.001 to 1000; 0 means 0.3
	// Beta is the parameter of the Dirichlet distribution of each topic, 0.001 to 1000; 0 means 0.1. With the built-in
	// words it is multiplied by 10 for the words of the topic's own theme, by 5 for words of no theme, and by 0.1 for
	// words of the other themes.
	Beta float64
	// Coefficients holds η, one coefficient per topic; nil means evenly spaced from −2 to 2.
	Coefficients []float64
	Noise        float64 // σ, the standard deviation of a rating around its mean; 0 means none
	// ByWords selects the mean of a rating. If ByWords is set, the mean is η'z̄, as in Blei and McAuliffe's model; z̄
	// holds the share of each topic in the words of the document. Otherwise the mean is η'θ; θ holds the document's
	// proportions of topics.
	ByWords bool
	// Thresholds divide the ratings into classes, in ascending order. nil means thresholds that give classes of equal
	// size; the option Classes gives their number.
	Thresholds []float64
	Classes    int // at least 2; 0 means 2. Must not be set if Thresholds is set, because Thresholds then determines the number of classes
	Seed       uint64
}

// A Corpus holds generated documents and their ground truth.
type Corpus struct {
	Counts  *mat.Dense // n × V: count of each word in each document
	Words   []string   // the vocabulary, V words
	Ratings []float64  // n
	Labels  []int      // n: class of each document, which is the number of thresholds that are not above the document's rating

	Topics       *mat.Dense // K × V: the distribution of words of each topic
	Theta        *mat.Dense // n × K: the proportions of topics in each document
	Coefficients []float64  // η, K
	Thresholds   []float64
	TopicNames   []string // K
	Tokens       [][]int  // the words of each document in the order drawn; a word is given by its column in Counts
	Assignments  [][]int  // topic of each word
}

// Topics draws documents with ratings from a topic model; see the package comment. The same options give the
// same documents for any number of processors.
func Topics(ctx context.Context, opt TopicsOptions) (*Corpus, error) {
	opt, err := opt.complete()
	if err != nil {
		return nil, err
	}
	n, K := opt.Documents, opt.Topics
	c := &Corpus{Coefficients: slices.Clone(opt.Coefficients)}
	var parameters [][]float64 // parameters of each topic's Dirichlet distribution
	if opt.Vocabulary == 0 {
		c.Words, c.TopicNames, parameters = reviews(K, opt.Beta)
	} else {
		for v := range opt.Vocabulary {
			c.Words = append(c.Words, madeUpWord(v))
		}
		for k := range K {
			c.TopicNames = append(c.TopicNames, fmt.Sprint("topic ", k))
			parameters = append(parameters, slices.Repeat([]float64{opt.Beta}, opt.Vocabulary))
		}
	}
	V := len(c.Words)
	c.Topics = mat.NewDense(K, V, nil)
	cumulated := make([][]float64, K)
	for k := range K {
		phi := c.Topics.RawRowView(k)
		dirichlet(phi, parameters[k], random(opt.Seed, streamTopics, k))
		cumulated[k] = cumulate(phi)
	}
	c.Counts, c.Theta = mat.NewDense(n, V, nil), mat.NewDense(n, K, nil)
	c.Ratings, c.Labels = make([]float64, n), make([]int, n)
	c.Tokens, c.Assignments = make([][]int, n), make([][]int, n)
	alpha := slices.Repeat([]float64{opt.Alpha}, K)
	err = forEach(ctx, "Topics", n, func(i int) {
		rnd := random(opt.Seed, streamDocuments, i)
		theta := c.Theta.RawRowView(i)
		dirichlet(theta, alpha, rnd)
		// z̄ is undefined for a document without words, so every document gets at least one word.
		length := max(1, int(distuv.Poisson{Lambda: opt.Length, Src: rnd}.Rand()))
		topics := cumulate(theta)
		share := make([]float64, K) // z̄
		for range length {
			k := draw(topics, rnd)
			w := draw(cumulated[k], rnd)
			c.Assignments[i] = append(c.Assignments[i], k)
			c.Tokens[i] = append(c.Tokens[i], w)
			c.Counts.Set(i, w, c.Counts.At(i, w)+1)
			share[k] += 1 / float64(length)
		}
		if !opt.ByWords {
			share = theta
		}
		for k, eta := range c.Coefficients {
			c.Ratings[i] += eta * share[k]
		}
		c.Ratings[i] += opt.Noise * rnd.NormFloat64()
	})
	if err != nil {
		return nil, err
	}
	c.Thresholds = slices.Clone(opt.Thresholds)
	if c.Thresholds == nil {
		sorted := slices.Sorted(slices.Values(c.Ratings))
		for k := 1; k < opt.Classes; k++ {
			at := k * n / opt.Classes
			c.Thresholds = append(c.Thresholds, (sorted[at-1]+sorted[at])/2)
		}
	}
	for i, y := range c.Ratings {
		for _, t := range c.Thresholds {
			if y >= t {
				c.Labels[i]++
			}
		}
	}
	return c, nil
}

// complete fills in the defaults and returns an error for impossible options.
func (o TopicsOptions) complete() (TopicsOptions, error) {
	if o.Documents == 0 {
		o.Documents = 500
	}
	if o.Topics == 0 {
		o.Topics = len(themes)
	}
	if o.Length == 0 {
		o.Length = 120
	}
	if o.Alpha == 0 {
		o.Alpha = 0.3
	}
	if o.Beta == 0 {
		o.Beta = 0.1
	}
	if o.Classes == 0 {
		o.Classes = len(o.Thresholds) + 1
		if o.Thresholds == nil {
			o.Classes = 2
		}
	}
	fail := func(format string, a ...any) (TopicsOptions, error) {
		return o, fmt.Errorf("synth: Topics: "+format, a...)
	}
	width := max(o.Vocabulary, builtInCount()) + o.Topics
	switch {
	case o.Topics < 2 || o.Topics > 1000:
		return fail("%d topics, must be 2 to 1000", o.Topics)
	case o.Vocabulary == 0 && o.Topics > len(themes):
		return fail("%d topics; the built-in words have themes for %d, set Vocabulary for more", o.Topics, len(themes))
	case o.Vocabulary < 0 || o.Vocabulary == 1 || o.Vocabulary > 100_000:
		return fail("a vocabulary of %d words, must be 2 to 100,000", o.Vocabulary)
	case o.Documents < 1 || o.Documents > maxValues/width:
		return fail("%d documents over this vocabulary, must be 1 to %d", o.Documents, maxValues/width)
	case o.Topics*width > maxValues:
		return fail("%d topics over %d words are more than %d numbers", o.Topics, o.Vocabulary, maxValues)
	case !(o.Length >= 1 && o.Length <= 10_000) || o.Length*float64(o.Documents) > maxValues/4:
		return fail("%d documents of %v words, must be 1 to 10,000 words a document and at most %d in all", o.Documents, o.Length, maxValues/4)
	case !(o.Alpha >= 1e-3 && o.Alpha <= 1e3), !(o.Beta >= 1e-3 && o.Beta <= 1e3):
		return fail("Dirichlet parameters %v and %v, must be from 0.001 to 1000", o.Alpha, o.Beta)
	case !(o.Noise >= 0 && o.Noise <= 1e6):
		return fail("noise of standard deviation %v, must be from 0 to a million", o.Noise)
	case o.Thresholds != nil && o.Classes != len(o.Thresholds)+1:
		return fail("%d thresholds do not make %d classes", len(o.Thresholds), o.Classes)
	case o.Classes < 2 || o.Classes > o.Documents:
		return fail("%d classes of %d documents: impossible", o.Classes, o.Documents)
	case o.Coefficients != nil && len(o.Coefficients) != o.Topics:
		return fail("%d coefficients for %d topics", len(o.Coefficients), o.Topics)
	}
	for k, v := range o.Coefficients {
		if !(math.Abs(v) <= 1e6) {
			return fail("coefficient %d is %v", k, v)
		}
	}
	for k, v := range o.Thresholds {
		if math.IsNaN(v) || k > 0 && v <= o.Thresholds[k-1] {
			return fail("thresholds %v do not rise", o.Thresholds)
		}
	}
	if o.Coefficients == nil {
		for k := range o.Topics {
			o.Coefficients = append(o.Coefficients, -2+4*float64(k)/float64(o.Topics-1))
		}
	}
	return o, nil
}

// Text returns document i as text, with the words in the order drawn.
func (c *Corpus) Text(i int) string {
	words := make([]string, len(c.Tokens[i]))
	for j, w := range c.Tokens[i] {
		words[j] = c.Words[w]
	}
	return strings.Join(words, " ")
}

// TopWords returns the n most probable words of topic k, in descending order of probability.
func (c *Corpus) TopWords(k, n int) []string {
	phi := c.Topics.RawRowView(k)
	order := make([]int, len(phi))
	for v := range order {
		order[v] = v
	}
	sort.SliceStable(order, func(a, b int) bool { return phi[order[a]] > phi[order[b]] })
	var words []string
	for _, v := range order[:min(n, len(order))] {
		words = append(words, c.Words[v])
	}
	return words
}

// dirichlet fills p with a draw from the Dirichlet distribution with the given parameters. It works with
// logarithms, because with parameters of 0.01 most of the Gamma deviates would underflow to 0.
func dirichlet(p, parameters []float64, rnd *rand.Rand) {
	largest := math.Inf(-1)
	for k, a := range parameters {
		p[k] = logGamma(a, rnd)
		largest = max(largest, p[k])
	}
	sum := 0.0
	for k, v := range p {
		p[k] = math.Exp(v - largest)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
}

// logGamma returns the logarithm of a Gamma deviate of shape a and scale 1 (G. Marsaglia, W. Tsang, "A simple method
// for generating gamma variables", 2000). For a < 1 it multiplies a deviate of shape a+1 by U^(1/a), where U is
// uniform on (0, 1].
func logGamma(a float64, rnd *rand.Rand) float64 {
	boost := 0.0
	if a < 1 {
		boost = math.Log(1-rnd.Float64()) / a
		a++
	}
	d := a - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rnd.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(1-rnd.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return math.Log(d*v) + boost
		}
	}
}

// cumulate returns the running sums of p.
func cumulate(p []float64) []float64 {
	sums := make([]float64, len(p))
	sum := 0.0
	for k, v := range p {
		sum += v
		sums[k] = sum
	}
	return sums
}

// draw returns a random index k. Its probability is proportional to sums[k] − sums[k−1], or to sums[0] for k = 0. sums
// is a slice of running sums, as returned by cumulate.
func draw(sums []float64, rnd *rand.Rand) int {
	u := rnd.Float64() * sums[len(sums)-1]
	return sort.Search(len(sums)-1, func(k int) bool { return sums[k] > u })
}
