package nmfimplicit

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/reviews"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nmf/nmfplot"
	"overcomplete/kernel-helpers/wordcount"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Rank chooses the number of components in the two common ways, by cross-validation and by the stability of clusters
// over random starts. The matrix was made from five components.
func (l *Lab) Rank() *figure.Grid {
	rng := l.stream(60)
	const truth = 5
	n, d := l.Pick(60, 100, 100), l.Pick(40, 80, 80)
	// Each row belongs mainly to one part, so that clusters are meaningful.
	U := drawSparse(rng, n, truth, 0.75)
	for i := range n {
		U.Set(i, i%truth, 1.5+rng.Float64())
	}
	A := product(U, drawSparse(rng, d, truth, 0.6))
	A.Apply(func(_, _ int, v float64) float64 { return math.Max(0, v+0.3*rng.NormFloat64()) }, A)
	ctx := l.Context()
	ranks := []int{2, 3, 4, 5, 6, 7, 8}
	cv := must.Get(nmf.CrossValidate(ctx, A, &nmf.CVOptions{Ranks: ranks, Repeats: l.Pick(1, 3, 5), Seed: l.Seed, Fit: nmf.Options{MaxIterations: 300}}))
	st := must.Get(nmf.Consensus(ctx, A, &nmf.ConsensusOptions{Ranks: ranks, Runs: l.Pick(10, 30, 50), Fit: nmf.Options{Seed: l.Seed, MaxIterations: 200}}))
	made := record.Generated(fmt.Sprintf("a %d × %d matrix of %d parts, with noise", n, d, truth))
	l.Row(record.Row{
		ID: "rank-cross-validation", What: "smallest number of components with an error on held-out blocks within one standard error of the minimum; the true number is 5",
		Measured: record.Number(float64(cv.Simplest), ""), Rule: record.Between(truth, truth), Data: made, Figure: "rank",
	})
	// at is the last rank with the largest correlation, before the correlation begins to fall.
	at := 0
	for i, v := range st.Cophenetic {
		if v > floats.Max(st.Cophenetic)-1e-6 {
			at = ranks[i]
		}
	}
	l.Row(record.Row{
		ID: "rank-cophenetic", What: "cophenetic correlation with 5 components",
		Measured: record.Number(st.Cophenetic[truth-ranks[0]], ""), Rule: record.AtLeast(0.98), Data: made, Figure: "rank", Repeat: 0.01,
		Reason: fmt.Sprintf("its maximum is last reached with %d components; it is %.4f with %d. The differences are small, and fits with fewer components can be equally stable, by merging whole parts", at, st.Cophenetic[truth+1-ranks[0]], truth+1),
	})
	g := figure.NewGrid("How many components?", 3, nmfplot.CrossValidation(cv), nmfplot.Stability(st), nmfplot.Consensus(st, truth)).Size(3.1, 2.7)
	l.Save("rank", fmt.Sprintf("Left: error on held-out blocks. Middle: agreement of the clusters from random starts. Right: how often two rows were in the same cluster, with %d components. Data: %v.", truth, made), g)
	return g
}

// A Topic is a column of W in the factorization A ≈ UW', where A has a row for each document and a column for each
// word.
type Topic struct {
	Topic int
	Share string // share of all words
	Words string
}

// Topics finds topics in generated documents, whose true topics are known. If film reviews are on this machine and the
// run is not a smoke run, Topics also finds topics in the reviews, and returns the topics of the reviews. Otherwise it
// returns those of the generated documents.
func (l *Lab) Topics() []Topic {
	const k = 5
	n := l.Pick(200, 500, 1000)
	c := must.Get(synth.Topics(l.Context(), synth.TopicsOptions{Documents: n, Topics: k, Seed: l.Seed}))
	r := fit(l.Context(), c.Counts, &nmf.Options{Components: k, Method: nmf.Multiplicative, Loss: nmf.KL, MaxIterations: l.Pick(100, 200, 300)})
	least := 1.0
	used := map[int]bool{}
	for t := range k {
		w := r.W.ColView(t)
		best, which := 0.0, 0
		for q := range k {
			v := c.Topics.RowView(q)
			if cos := mat.Dot(w, v) / (mat.Norm(w, 2) * mat.Norm(v, 2)); cos > best {
				best, which = cos, q
			}
		}
		used[which] = true
		least = math.Min(least, best)
	}
	l.Row(record.Row{
		ID: "topics", What: fmt.Sprintf("documents of %d topics, Kullback-Leibler loss: each topic found matches a different true topic", k),
		Measured: record.Bool(least > 0.9 && len(used) == k, fmt.Sprintf("smallest cosine %.3f, %d different topics", least, len(used))), Rule: record.Holds(), Data: record.Generated(fmt.Sprintf("%d documents", n)),
	})
	if l.Size != record.Smoke {
		set, err := reviews.Load()
		if err == nil {
			return l.reviewTopics(set)
		}
		if !errors.Is(err, data.ErrAbsent) {
			lab.Check(err)
		}
	}
	return topics(r, c.Words)
}

func (l *Lab) reviewTopics(set *reviews.Reviews) []Topic {
	var docs [][]string
	every := l.Pick(8, 3, 1)
	for i := 0; i < set.Len(); i += every {
		docs = append(docs, set.Reviews[i].Tokens())
	}
	v := must.Get(wordcount.Fit(l.Context(), docs, &wordcount.Options{Words: 3000, LettersOnly: true, MinDocuments: len(docs) / 100}))
	// A word in more than a tenth of the reviews says little about the topic of a review.
	counts := v.Transform(docs)
	var keep []int
	var words []string
	for j, w := range v.Words {
		if v.Documents[j] <= len(docs)/10 {
			keep, words = append(keep, j), append(words, w)
		}
	}
	X := mat.NewDense(len(docs), len(keep), nil)
	for i := range docs {
		for c, j := range keep {
			X.Set(i, c, counts.At(i, j))
		}
	}
	r := fit(l.Context(), nmf.Sparsify(X), &nmf.Options{Components: 12, Method: nmf.Multiplicative, Loss: nmf.KL, MaxIterations: l.Pick(20, 100, 300)})
	return topics(r, words)
}

func topics(r *nmf.Model, words []string) []Topic {
	n, k := r.U.Dims()
	d, _ := r.W.Dims()
	share := make([]float64, k)
	total := 0.0
	for t := range k {
		u, w := 0.0, 0.0
		for i := range n {
			u += r.U.At(i, t)
		}
		for j := range d {
			w += r.W.At(j, t)
		}
		share[t] = u * w
		total += u * w
	}
	var out []Topic
	for t := range k {
		var list []string
		for _, j := range r.Top(t, 10) {
			list = append(list, words[j])
		}
		out = append(out, Topic{t + 1, fmt.Sprintf("%.0f %%", 100*share[t]/total), strings.Join(list, ", ")})
	}
	return out
}
