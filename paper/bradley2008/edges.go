package bradley2008

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Some values that are chosen on validation data are at the end of their grid. The following code
// continues beyond it, and reports how much would be gained: by weaker penalties for table 2, and
// by larger λ for table 5. (For table 6 see topics.go.) The tables keep the chosen values.

// weakerAlphas continue where alphas ends. They include its last value, because the table stops
// training at a gradient of 1e-5, and these at a tenth of α.
var weakerAlphas = []float64{1e-6, 1e-7, 1e-8}

// weakerSizes returns the numbers of training digits for which table 2 chooses the last of alphas
// for KL codes.
func (l *Lab) weakerSizes() []int {
	if l.Full() {
		return []int{20000, 50000}
	}
	return nil
}

// weakerPenalties continues training the final classifier of table 2, for KL codes of the first
// draw of n digits, with each of weakerAlphas. Each row holds training, validation and test error
// in percent, the steps of L-BFGS, and the largest element of the gradient.
func (l *Lab) weakerPenalties(n int) *mat.Dense {
	d := l.Digits()
	return l.store.Matrix(l.weakerKey(n), func() *mat.Dense {
		f := l.KLFeatures()
		m, _ := f.Train.Dims()
		train, from := d.draw(n, 0)
		W := f.Train.Slice(0, m, from, from+n)
		var last *classify.Maxent
		fit := func(alpha, tolerance float64, steps int) {
			c, err := classify.FitMaxent(l.Context(), W.T(), train.Y, &classify.MaxentOptions{Alpha: alpha, Classes: 10, Tolerance: tolerance, MaxIterations: steps, Start: last})
			lab.Check(ended.Accept(err)) // its gradient is kept
			last = c
		}
		for _, alpha := range alphas { // as in chooseMaxent
			fit(alpha, 1e-5, 400)
		}
		out := mat.NewDense(len(weakerAlphas), 5, nil)
		for i, alpha := range weakerAlphas {
			fit(alpha, alpha/10, 1000)
			out.SetRow(i, []float64{
				100 * classify.ErrorRate(last.Predict(W.T()), train.Y),
				100 * classify.ErrorRate(last.Predict(f.Validation.T()), d.Validation.Y),
				100 * classify.ErrorRate(last.Predict(f.Test.T()), d.Test.Y),
				float64(last.Iterations), last.Gradient,
			})
			l.say("KL, %d digits, alpha %v: training %.2f %%, validation %.2f %%, test %.2f %%, %d steps, gradient %.1e", n, alpha, out.At(i, 0), out.At(i, 1), out.At(i, 2), last.Iterations, last.Gradient)
		}
		return out
	})
}

// weakerRows adds rows about how much weaker penalties reduce the validation error of table 2.
func (l *Lab) weakerRows() {
	for _, n := range l.weakerSizes() {
		m := l.weakerPenalties(n)
		have := l.maxentErrors("table2-kl", n, 0, l.KLFeatures)
		least := math.Inf(1)
		var seen []string
		for i, a := range weakerAlphas {
			least = min(least, m.At(i, 1))
			seen = append(seen, fmt.Sprintf("%v: %.2f, %.3f, %.2f (%.0f steps to a gradient of %.0e)", a, m.At(i, 1), m.At(i, 0), m.At(i, 2), m.At(i, 3), m.At(i, 4)))
		}
		l.Row(record.Row{ID: fmt.Sprintf("table2-own-weaker-%d", n), What: fmt.Sprintf("what penalties below the last of the grid take from the validation error on KL codes, %d training digits, draw 0", n),
			Measured: record.Number(have[2]-least, "points"), Rule: record.Between(-0.15, 0.15), Repeat: 0.1, Data: l.Digits().Data, Figure: "table2",
			Reason: fmt.Sprintf("the table's classifier, α = %v: validation %.2f %%, training %.3f %%, test %.2f %%; trained on from there, α: validation, training and test error in per cent: %s", have[3], have[2], have[1], have[0], strings.Join(seen, "; "))})
	}
}

// beyondSizes are the numbers of training letters for which larger λ are tried: for 500 and 1000
// letters the search chooses its last λ; for 100 it does not, and 5000 would take too long.
var beyondSizes = []int{500, 1000}

// lettersBeyond returns the trials of LetterSearch for n training letters, and trials of larger λ
// on its bases except the smallest, with the best of all marked. (Larger p than in the search are
// among widerTrials.)
func (l *Lab) lettersBeyond(c *Characters, n int) []Trial {
	k := 0
	for beyondSizes[k] != n {
		k++
	}
	out := l.LetterSearch(n)
	for _, b := range letterBases[1:] {
		for _, t := range priorGrid(b, []float64{0.8}, []float64{0.4, 0.8}, []float64{1e-2}) {
			t.Alpha, t.Error = math.NaN(), l.tryBeyond(c, t)[k]
			out = append(out, t)
		}
	}
	for i := range out {
		out[i].Chosen = ""
	}
	mark(out, bestOf(out))
	return out
}

// tryBeyond is like tryLetters, for beyondSizes.
func (l *Lab) tryBeyond(c *Characters, t Trial) []float64 {
	const draws = 5
	return l.store.Numbers(letterTrialKey(lettersBeyond, &t), func() []float64 {
		B := l.LearnBasis(t.Atoms, t.BasisLambda)
		train, validation := c.Train.First(draws*slices.Max(beyondSizes)), c.Validation.First(2000)
		W, V := t.code(l.Context(), B, train.X), t.code(l.Context(), B, validation.X)
		m, _ := W.Dims()
		out := make([]float64, len(beyondSizes))
		for k, n := range beyondSizes {
			for r := range draws {
				_, e, _ := chooseAlpha(l.Context(), W.Slice(0, m, r*n, (r+1)*n), train.Y[r*n:(r+1)*n], V, validation.Y, c.Classes)
				out[k] += 100 * e / draws
			}
		}
		l.say("letters: %s, n = %d, basis λ %v, λ %v, p %v, %v letters: validation error %.2f %%", t.Prior, t.Atoms, t.BasisLambda, t.Lambda, t.P, beyondSizes, out)
		return out
	})
}

// chosenError returns the validation error, in percent, of the marked trial of a prior.
func chosenError(trials []Trial, prior string) float64 {
	for _, t := range trials {
		if t.Prior == prior && t.Chosen != "" {
			return t.Error
		}
	}
	panic("bradley2008: no trial of " + prior + " is marked")
}

// beyondRows adds rows about the effect of larger λ on table 5: on the validation letters, by which
// they are chosen, and then on the test letters.
func (t *transfer) beyondRows() {
	l := t.l
	for _, n := range beyondSizes {
		grid, all := l.LetterSearch(n), l.lettersBeyond(t.c, n)
		gain := func(prior string) float64 { return chosenError(grid, prior) - chosenError(all, prior) }
		s := bestOf(all)
		l.Row(record.Row{ID: fmt.Sprintf("table5-own-beyond-%d", n), What: fmt.Sprintf("%d training letters: what λ beyond the grid of the search add to the accuracy of KL codes on the validation letters", n),
			Measured: record.Number(gain("KL"), "points"), Rule: record.Between(-table5Tolerance, table5Tolerance), Repeat: 0.5, Data: t.c.Data,
			Reason: fmt.Sprintf("n = %d, basis λ = %v, L1 λ = %v, KL λ = %v, p = %v: %.2f %% in place of %.2f %%; L1 codes gain %.2f points", s.Atoms, s.BasisLambda, s.L1Lambda, s.KLLambda, s.P,
				100-chosenError(all, "KL"), 100-chosenError(grid, "KL"), gain("L1"))})
	}
	const n, k = 1000, 2 // the third of LetterSizes
	draws, _ := l.letterDraws(n)
	for _, col := range []struct {
		id, what  string
		published float64
	}{{"l1", "L1", table5.L1[k]}, {"kl", "KL", table5.KL[k]}} {
		t.use(n)
		before := averageAccuracy(draws, func(r int) []float64 { return t.accuracy(col.id, n, r) })
		t.set(bestOf(l.lettersBeyond(t.c, n)))
		after := averageAccuracy(draws, func(r int) []float64 { return t.accuracy(col.id, n, r) })
		l.Row(record.Row{ID: fmt.Sprintf("table5-own-beyond-%s-%d", col.id, n), What: fmt.Sprintf("%d training letters, %s codes: the accuracy on the test letters with what is best of the wider grid, less the published one", n, col.what),
			Measured: record.Number(after.Test-col.published, "points"), Rule: record.Between(-table5Tolerance, table5Tolerance), Repeat: 0.5, Data: t.c.Data,
			Reason: fmt.Sprintf("%.2f %%, with the values of the table %.2f %%; published %.1f %%", after.Test, before.Test, col.published)})
	}
}
