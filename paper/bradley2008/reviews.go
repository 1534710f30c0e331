package bradley2008

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/reviews"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/regress"
	"overcomplete/kernel-helpers/wordcount"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Documents are rated texts in the form of section 6.3.3: the normalized counts of the words with the highest tf-idf,
// and a rating to be predicted.
type Documents struct {
	X     *mat.Dense // N×V: a document per row, whose sum is 1
	Sizes []float64  // N: how many words of a document are in Words; this number times the document's row of X gives the counts
	Y     []float64  // N: the ratings, 0 to 1 for reviews
	Words []string   // V
	Rates []float64  // V: the mean of the rows of X
	Folds [][]int    // the 5 folds of the paper's cross-validation
	Data  record.Data
	key   lab.Settings // identifies the documents in keys of the store
}

// N returns the number of documents.
func (d *Documents) N() int { return len(d.Y) }

// V returns the number of words.
func (d *Documents) V() int { return len(d.Words) }

// Documents returns the documents of this run: all movie reviews at full size, 1200 of them at lecture size, and
// generated documents at smoke size. If the reviews are missing, Documents panics at full size, and generates
// documents at lecture size. The words are chosen from all documents, including the test folds, as in the paper.
func (l *Lab) Documents() *Documents {
	words := l.Pick(0, 1000, 5000)
	if words > 0 {
		r, err := reviews.Load()
		switch {
		case err == nil:
			return cutReviews(l.Context(), r, l.Pick(0, 1200, r.Len()), words)
		case !errors.Is(err, data.ErrAbsent):
			panic(err)
		case l.Full():
			panic(fmt.Errorf("bradley2008: the full size needs the reviews: %w", err))
		}
	}
	n := l.Pick(200, 1000, 0)
	c, err := synth.Topics(l.Context(), synth.TopicsOptions{Documents: n, Length: 100, Noise: 0.5, Seed: l.Seed + 6})
	lab.Check(err)
	return newDocuments(lab.NewSettings("data", "generated", "documents", n, "data-seed", l.Seed), c.Counts, c.Ratings, c.Words, record.Generated(fmt.Sprintf("%d documents", n)))
}

// cutReviews selects n random reviews, and their words with the highest tf-idf.
func cutReviews(ctx context.Context, all *reviews.Reviews, n, words int) *Documents {
	order := rand.New(rand.NewPCG(splitSeed, 6)).Perm(all.Len())[:n]
	slices.Sort(order)
	tokens, y := make([][]string, n), make([]float64, n)
	for i, k := range order {
		tokens[i], y[i] = all.Reviews[k].Tokens(), all.Reviews[k].Rating
	}
	v, err := wordcount.Fit(ctx, tokens, &wordcount.Options{Words: words})
	lab.Check(err)
	what := "movie reviews"
	if n < all.Len() {
		what = fmt.Sprintf("%d of the %d movie reviews, %d words", n, all.Len(), words)
	}
	return newDocuments(lab.NewSettings("data", "reviews", "documents", n, "words", words), v.Transform(tokens), y, v.Words, record.Real(what))
}

func newDocuments(key lab.Settings, counts *mat.Dense, y []float64, words []string, from record.Data) *Documents {
	X, err := wordcount.Normalize(counts)
	lab.Check(err)
	n, v := X.Dims()
	sizes := make([]float64, n)
	for i := range sizes {
		sizes[i] = mat.Sum(counts.RowView(i))
	}
	d := &Documents{X: X, Sizes: sizes, Y: y, Words: words, Rates: make([]float64, v), Data: from, key: key}
	for i := range n {
		for j, x := range X.RawRowView(i) {
			d.Rates[j] += x / float64(n)
		}
	}
	// A word that is in no document would have a base rate of 0.
	for j, r := range d.Rates {
		d.Rates[j] = math.Max(r, 1e-9)
	}
	d.Folds = regress.KFold(n, 5, splitSeed)
	return d
}

// Columns returns a V×len(of) matrix whose columns are the documents with the given indices.
func (d *Documents) Columns(of []int) mat.Matrix {
	return classify.Rows(d.X, of).T()
}

// Training returns the indices of the documents outside fold f, in random order. The first eighth of these documents
// is for validation, the others are for training.
func (d *Documents) Training(f int) (train, validation []int) {
	rest := classify.Others(d.Folds, f)
	rand.New(rand.NewPCG(splitSeed, 60+uint64(f))).Shuffle(len(rest), func(a, b int) { rest[a], rest[b] = rest[b], rest[a] })
	return rest[len(rest)/8:], rest[:len(rest)/8]
}
