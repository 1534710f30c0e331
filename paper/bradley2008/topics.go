package bradley2008

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/regress"
	"overcomplete/kernel-helpers/topics"
	"overcomplete/paper/lab"
)

// topicCounts are the numbers of topics among which LDA and sLDA choose.
func (l *Lab) topicCounts() []int {
	return [][]int{{5}, {16}, {16, 32, 64}}[l.Pick(0, 1, 2)]
}

// topicOptions are those of LDA; sLDA makes half of the passes, each of which takes twice as
// long.
func (l *Lab) topicOptions(K int) *topics.Options {
	return &topics.Options{Topics: K, Passes: l.Pick(20, 50, 300), Seed: splitSeed}
}

func (l *Lab) supervisedOptions(K int) *topics.Options {
	o := l.topicOptions(K)
	o.Passes /= 2
	return o
}

// counts are the numbers of words of the documents of, a document per row.
func (d *Documents) counts(of []int) *mat.Dense {
	out := mat.NewDense(len(of), d.V(), nil)
	for r, i := range of {
		row := out.RawRowView(r)
		for j, x := range d.X.RawRowView(i) {
			row[j] = math.Round(x * d.Sizes[i])
		}
	}
	return out
}

// leastSquares is linear regression on the rows of F (N×n) of the training documents of
// fold f: the predictions for fold f. The penalty is there for proportions, which sum to
// 1, so that many regressions are as good: it is far too small to do anything else.
func (d *Documents) leastSquares(F mat.Matrix, f int) []float64 {
	of := d.outside(f)
	X := classify.Rows(F, of)
	r, err := regress.TrainRidge(X, ratings(d, of), 1e-9*ridgeAlphas(X)[0])
	lab.Check(err)
	return r.Predict(classify.Rows(F, d.Folds[f]))
}

// allocated is the score of linear regression on the topics that LDA finds in the words of
// all documents, as B is learned from the words of all documents. For each fold the number
// of topics is what is best inside its training documents.
func (l *Lab) allocated(d *Documents, out *Table6Result) score {
	all := make([]int, d.N())
	for i := range all {
		all[i] = i
	}
	var found []*mat.Dense
	for _, K := range l.topicCounts() {
		passes := l.topicOptions(K).Passes
		// A row a fold: the predictive R² inside the training documents, then the predictions.
		found = append(found, l.store.Matrix(key("topics-predicted", d.name, K, passes), func() *mat.Dense {
			Z := l.store.Matrix(key("topics", d.name, K, passes), func() *mat.Dense { // N×K
				m, err := topics.Fit(l.Context(), d.counts(all), l.topicOptions(K))
				lab.Check(err)
				l.say("LDA, %d topics: log likelihood of a word %.4f", K, m.History[len(m.History)-1])
				return lab.Single(m.Proportions)
			})
			rows := mat.NewDense(len(d.Folds), 2+d.N()/len(d.Folds), nil)
			for f := range d.Folds {
				row := rows.RawRowView(f)
				row[0], _ = d.ridgeInside(l.Context(), Z, f)
				copy(row[1:], d.leastSquares(Z, f))
			}
			return rows
		}))
	}
	return d.bestOf(found, l.topicCounts(), out)
}

// bestOf is the score of predictions: for each fold those of the number of topics with the
// largest first number of the fold's row.
func (d *Documents) bestOf(found []*mat.Dense, counts []int, out *Table6Result) score {
	return d.score(func(f int) []float64 {
		at := 0
		for i := range found {
			if found[i].At(f, 0) > found[at].At(f, 0) {
				at = i
			}
		}
		out.Topics = append(out.Topics, counts[at])
		return found[at].RawRowView(f)[1 : 1+len(d.Folds[f])]
	})
}

// supervised is the score of sLDA, which sees the training documents of a fold but for their
// validation part, on which the number of topics is chosen.
func (l *Lab) supervised(d *Documents, out *Table6Result) score {
	counts := l.topicCounts()[:1] // more topics take too long
	found := make([]*mat.Dense, len(counts))
	for i, K := range counts {
		// A row a fold: the predictive R² on the validation part, then the predictions.
		found[i] = l.store.Matrix(key("topics-supervised", d.name, K, l.supervisedOptions(K).Passes), func() *mat.Dense {
			rows := mat.NewDense(len(d.Folds), 2+d.N()/len(d.Folds), nil)
			lab.Parallel(l.Context(), len(d.Folds), func(f int) { // a chain is one goroutine
				train, validation := d.Training(f)
				m, err := topics.FitSupervised(l.Context(), d.counts(train), ratings(d, train), l.supervisedOptions(K))
				lab.Check(err)
				predict := func(of []int) []float64 {
					p, err := m.Predict(l.Context(), d.counts(of), &topics.InferOptions{Seed: splitSeed})
					lab.Check(err)
					return p
				}
				row := rows.RawRowView(f)
				row[0] = regress.PredictiveR2(ratings(d, validation), predict(validation))
				copy(row[1:], predict(d.Folds[f]))
				l.say("sLDA, %d topics, fold %d: predictive R² on the validation part %.3f", K, f+1, row[0])
			})
			return rows
		})
	}
	return d.bestOf(found, counts, out)
}
