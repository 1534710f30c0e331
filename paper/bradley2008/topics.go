package bradley2008

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/regress"
	"overcomplete/kernel-helpers/topics"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// topicCounts returns the numbers of topics among which LDA chooses.
func (t *table6) topicCounts() []int {
	return [][]int{{5}, {16}, {16, 32, 64}}[t.Pick(0, 1, 2)]
}

// topicOptions returns the options of LDA with K topics. For sLDA, supervisedOptions halves the number of passes,
// because a pass of sLDA takes twice as long.
func (t *table6) topicOptions(K int) *topics.Options {
	return &topics.Options{Topics: K, Passes: t.Pick(20, 50, 300), Seed: splitSeed}
}

func (t *table6) supervisedOptions(K int) *topics.Options {
	o := t.topicOptions(K)
	o.Passes /= 2
	return o
}

// counts returns the word counts of some documents, one document per row.
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

// leastSquares fits a linear regression to those rows of F (N×n) that belong to the training documents of fold f, and
// returns the predictions for fold f. If the rows are topic proportions, which sum to 1, many regressions are
// equally good; a tiny penalty, which has no other effect, selects one.
func (d *Documents) leastSquares(ctx context.Context, F mat.Matrix, f int) []float64 {
	of := d.outside(f)
	X := classify.Rows(F, of)
	r, err := regress.FitRidge(ctx, X, ratings(d, of), 1e-9*ridgeAlphas(X)[0])
	lab.Check(err)
	return r.Predict(classify.Rows(F, d.Folds[f]))
}

// ldaScore returns the score of linear regression on the topics that LDA finds in the words of all documents. (B is
// learned from the words of all documents too.) For each fold, the number of topics is chosen by cross-validation on
// the training documents.
func (t *table6) ldaScore() score {
	var found []*mat.Dense
	for _, K := range t.topicCounts() {
		found = append(found, t.ldaOf(K))
	}
	if t.Full() {
		t.ldaRows(found)
	}
	return t.d.bestOf(found, t.topicCounts(), t.out)
}

// ldaOf finds K topics, and predicts ratings by linear regression on them. Each row of the result is for one fold:
// first the predictive R² of a cross-validation on the training documents, then the predictions.
func (t *table6) ldaOf(K int) *mat.Dense {
	passes := t.topicOptions(K).Passes
	return t.store.Matrix(topicsKey("topics-predicted", t.d, K, passes), func() *mat.Dense {
		Z := t.store.Matrix(topicsKey("topics", t.d, K, passes), func() *mat.Dense { // N×K
			m, err := topics.Fit(t.Context(), t.d.counts(ints(0, t.d.N())), t.topicOptions(K))
			lab.Check(err)
			t.say("LDA, %d topics: log likelihood of a word %.4f", K, m.History[len(m.History)-1])
			return lab.Single(m.Proportions)
		})
		rows := mat.NewDense(len(t.d.Folds), 2+t.d.N()/len(t.d.Folds), nil)
		for f := range t.d.Folds {
			row := rows.RawRowView(f)
			row[0], _ = t.d.ridgeInside(t.Context(), Z, f)
			copy(row[1:], t.d.leastSquares(t.Context(), Z, f))
		}
		return lab.Rough(rows)
	})
}

// ldaRows adds two rows about numbers of topics other than those of topicCounts: one about 24 and 48 topics, and one
// about 4 and 8. The argument found holds the results of ldaOf for topicCounts.
func (t *table6) ldaRows(found []*mat.Dense) {
	const published = 0.263
	counts := []int{4, 8, 16, 24, 32, 48, 64}
	grid, more, nearest := math.Inf(-1), math.Inf(-1), math.Inf(1)
	for _, m := range found {
		grid = max(grid, validationR2(m))
	}
	var seen []string
	for _, K := range counts {
		m := t.ldaOf(K)
		s := t.d.score(func(f int) []float64 { return m.RawRowView(f)[1 : 1+len(t.d.Folds[f])] })
		if K == 24 || K == 48 {
			more = max(more, validationR2(m))
		}
		if K < 16 && math.Abs(s.pr2-published) < math.Abs(nearest-published) {
			nearest = s.pr2
		}
		seen = append(seen, fmt.Sprintf("%d: %.3f", K, s.pr2))
	}
	reason := "predictive R² on the test documents by number of topics: " + strings.Join(seen, "; ")
	t.Row(record.Row{ID: "table6-own-lda-topics", What: "cross-validated predictive R² of LDA on the training documents, mean over the folds: best of 24 and 48 topics minus best of 16, 32 and 64", Data: t.d.Data, Figure: "table6",
		Measured: record.Number(more-grid, ""), Rule: record.Between(-table6Tolerance, table6Tolerance), Repeat: 0.01, Reason: reason})
	t.Row(record.Row{ID: "table6-own-lda-few", What: "predictive R² of LDA with 4 or 8 topics (whichever is closer to the published one) minus the published one", Data: t.d.Data, Figure: "table6",
		Measured: record.Number(nearest-published, ""), Rule: record.Between(-table6Tolerance, table6Tolerance), Repeat: 0.01, Reason: reason})
}

// bestOf returns the score of the best predictions in found, which has a matrix for each number of topics in counts.
// For each fold it uses the matrix whose row for that fold has the largest first element, a predictive R² measured
// without the test documents. For each fold it also appends the number of topics of the matrix that it uses to
// out.Topics.
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

// supervisedCounts returns the numbers of topics among which sLDA chooses.
func (t *table6) supervisedCounts() []int {
	return [][]int{{5}, {16}, {8, 16, 32}}[t.Pick(0, 1, 2)]
}

// An slda holds the results for a number of topics, one row per fold. Each row has the predictive R² on the validation
// part, and then the predictions. In the field called own, the predictions are by the model's own η and b; in the field
// called refit, they are by linear regression (see sldaOf).
type slda struct{ own, refit *mat.Dense }

// sldaOf trains sLDA with K topics on the training documents of each fold except their validation part, and returns
// the predictions of two regressions. The first is η, which the model learns along with the topics; it is fitted to
// topics that were drawn with knowledge of the ratings, but the topics of new documents are inferred without ratings.
// The second, called refit, is linear regression on topic proportions that are inferred for the same training
// documents without their ratings, as if they were new.
func (t *table6) sldaOf(K int) slda {
	all := topicsKey("topics-supervised-refit", t.d, K, t.supervisedOptions(K).Passes)
	both := t.store.Matrix(all, func() *mat.Dense {
		width := 2 + t.d.N()/len(t.d.Folds)
		rows := mat.NewDense(len(t.d.Folds), 2*width, nil)
		var todo []int
		key := func(f int) lab.Key { return all.With("fold", f) }
		for f := range t.d.Folds {
			if !t.store.Has(key(f)) {
				todo = append(todo, f)
			}
		}
		var one sync.Mutex                                 // guards the store
		lab.Parallel(t.Context(), len(todo), func(i int) { // each fold's chain runs in one goroutine
			row := t.sldaFold(K, todo[i], width)
			one.Lock()
			defer one.Unlock()
			t.store.Numbers(key(todo[i]), func() []float64 { return row })
		})
		for f := range t.d.Folds {
			rows.SetRow(f, t.store.Numbers(key(f), func() []float64 { panic("not reached") }))
		}
		return lab.Rough(rows)
	})
	_, c := both.Dims()
	part := func(from, to int) *mat.Dense { return both.Slice(0, len(t.d.Folds), from, to).(*mat.Dense) }
	return slda{part(0, c/2), part(c/2, c)}
}

// sldaFold returns the row of fold f for sldaOf. First come the elements for the model's own regression, then those for
// the refitted one. width is the number of elements for each.
func (t *table6) sldaFold(K, f, width int) []float64 {
	train, validation := t.d.Training(f)
	m, err := topics.FitSupervised(t.Context(), t.d.counts(train), ratings(t.d, train), t.supervisedOptions(K))
	lab.Check(err)
	infer := func(of []int) *mat.Dense {
		Z, err := m.Transform(t.Context(), t.d.counts(of), &topics.InferOptions{Seed: splitSeed})
		lab.Check(err)
		return Z
	}
	Z := infer(train)
	again, err := regress.FitRidge(t.Context(), Z, ratings(t.d, train), 1e-9*ridgeAlphas(Z)[0])
	lab.Check(err)
	out := make([]float64, 2*width)
	for k, of := range [2][]int{validation, t.d.Folds[f]} {
		Z := infer(of)
		own := make([]float64, len(of))
		for i := range own {
			own[i] = floats.Dot(m.Eta, Z.RawRowView(i)) + m.Intercept
		}
		for j, p := range [2][]float64{own, again.Predict(Z)} {
			if k == 0 {
				out[j*width] = regress.PredictiveR2(ratings(t.d, of), p)
			} else {
				copy(out[j*width+1:], p)
			}
		}
	}
	t.say("sLDA, %d topics, fold %d: predictive R² on the validation part %.3f, with refit %.3f", K, f+1, out[0], out[width])
	return out
}

// sldaScore returns the score of sLDA, with the number of topics chosen on the validation part.
func (t *table6) sldaScore() score {
	counts := t.supervisedCounts()
	var own, refit []*mat.Dense
	for _, K := range counts {
		s := t.sldaOf(K)
		own, refit = append(own, s.own), append(refit, s.refit)
	}
	s := t.d.bestOf(own, counts, t.out)
	if t.Full() {
		t.sldaRows(s, own, refit)
	}
	return s
}

// validationR2 returns the mean of the first column of the given matrix. For each fold, this column has the predictive
// R² by which the number of topics is chosen.
func validationR2(rows *mat.Dense) float64 { return stat.Mean(mat.Col(nil, 0, rows), nil) }

// sldaRows adds two rows about the predictive R² of sLDA. The first says how much the best number of topics gains over
// 16 topics; the second, how much the refitted regression of sldaOf gains over the model's own.
func (t *table6) sldaRows(s score, own, refit []*mat.Dense) {
	counts := t.supervisedCounts()
	at16, best := 0., math.Inf(-1)
	var seen []string
	for i, K := range counts {
		v := validationR2(own[i])
		if K == 16 {
			at16 = v
		}
		best = max(best, v)
		seen = append(seen, fmt.Sprintf("%d: %.3f, with refit %.3f", K, v, validationR2(refit[i])))
	}
	t.Row(record.Row{ID: "table6-own-slda-topics", What: "mean over the folds of the predictive R² of sLDA on the validation part: best of 8, 16 and 32 topics minus 16 topics", Data: t.d.Data, Figure: "table6",
		Measured: record.Number(best-at16, ""), Rule: record.Between(-table6Tolerance, table6Tolerance), Repeat: 0.01,
		Reason: "predictive R² on the validation part by number of topics: " + strings.Join(seen, "; ")})
	var chosen Table6Result
	r := t.d.bestOf(refit, counts, &chosen)
	t.Row(record.Row{ID: "table6-own-slda-refit", What: "predictive R² of sLDA: regression refitted on topic proportions inferred without ratings minus sLDA's own regression", Data: t.d.Data, Figure: "table6",
		Measured: record.Number(r.pr2-s.pr2, ""), Rule: record.AtLeast(0), Repeat: 0.01,
		Reason: fmt.Sprintf("%.3f against %.3f with sLDA's own regression; published 0.500; numbers of topics chosen in the five folds with the refit: %s", r.pr2, s.pr2, strings.Trim(fmt.Sprint(chosen.Topics), "[]"))})
}
