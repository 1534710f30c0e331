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

// Some values that are chosen on validation data are at the end of their grid. The following code continues
// beyond the grid, and reports how much would be gained: by weaker penalties for table 2, and
// by larger λ for table 5. (For table 6 see topics.go.) The tables keep the chosen values.

// weakerAlphas continue the list alphas. They begin with the last of alphas, because the table stops training at a
// gradient of 1e-5, but training with weakerAlphas stops at a gradient of α/10.
var weakerAlphas = []float64{1e-6, 1e-7, 1e-8}

// weakerPenalties starts from the classifier that table 2 trains with the weakest penalty in the list alphas, on KL
// codes of the first draw of n digits. It continues the training with each of weakerAlphas in turn. Each row of the
// result is for one of them: training, validation and test error in percent, the steps of L-BFGS, and the largest
// element of the gradient.
func (t *table2) weakerPenalties(n int) *mat.Dense {
	d := t.Digits()
	return t.store.Matrix(keysOf(t.Lab).on("table2-weaker", n), func() *mat.Dense {
		f := t.KLFeatures()
		m, _ := f.Train.Dims()
		train, from := d.draw(n, 0)
		W := f.Train.Slice(0, m, from, from+n)
		var last *classify.Maxent
		fit := func(alpha, tolerance float64, steps int) {
			c, err := classify.FitMaxent(t.Context(), W.T(), train.Y, &classify.MaxentOptions{Alpha: alpha, Classes: 10, Tolerance: tolerance, MaxIterations: steps, Start: last})
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
			t.say("KL, %d digits, alpha %v: training %.2f %%, validation %.2f %%, test %.2f %%, %d steps, gradient %.1e", n, alpha, out.At(i, 0), out.At(i, 1), out.At(i, 2), last.Iterations, last.Gradient)
		}
		return out
	})
}

// weakerRows adds rows that say by how much the validation error of table 2 falls with penalties that are weaker than
// those in the list alphas. There is a row for each number of training digits for which table 2 chooses the weakest
// penalty in this list for KL codes.
func (t *table2) weakerRows() {
	if !t.Full() {
		return
	}
	for _, n := range []int{20000, 50000} {
		m := t.weakerPenalties(n)
		have := t.maxentErrors("table2-kl", n, 0, t.KLFeatures)
		least := math.Inf(1)
		var seen []string
		for i, a := range weakerAlphas {
			least = min(least, m.At(i, 1))
			seen = append(seen, fmt.Sprintf("%v: %.2f, %.3f, %.2f (%.0f steps to a gradient of %.0e)", a, m.At(i, 1), m.At(i, 0), m.At(i, 2), m.At(i, 3), m.At(i, 4)))
		}
		t.Row(record.Row{ID: fmt.Sprintf("table2-own-weaker-%d", n), What: fmt.Sprintf("what penalties below the last of the grid take from the validation error on KL codes, %d training digits, draw 0", n),
			Measured: record.Number(have[2]-least, "points"), Rule: record.Between(-0.15, 0.15), Repeat: 0.1, Data: t.Digits().Data, Figure: "table2",
			Reason: fmt.Sprintf("the table's classifier, α = %v: validation %.2f %%, training %.3f %%, test %.2f %%; trained on from there, α: validation, training and test error in per cent: %s", have[3], have[2], have[1], have[0], strings.Join(seen, "; "))})
	}
}

// beyondSizes are the numbers of training letters for which larger λ are tried. For 500 and 1000 letters the search
// chooses its last λ; for 100 letters it does not, and for 5000 letters the trials would take too long.
var beyondSizes = []int{500, 1000}

// lettersBeyond returns the trials of LetterSearch for n training letters, followed by trials of larger λ. The added
// trials use the same bases, but not the smallest of them. The best of all these trials is marked. (widerTrials also
// has larger p than the search.)
func (t *table5) lettersBeyond(n int) []Trial {
	k := slices.Index(beyondSizes, n)
	out := t.LetterSearch(n)
	for _, b := range letterBases[1:] {
		for _, trial := range priorGrid(b, []float64{0.8}, []float64{0.4, 0.8}, []float64{1e-2}) {
			trial.Alpha, trial.Error = math.NaN(), t.tryBeyond(trial)[k]
			out = append(out, trial)
		}
	}
	for i := range out {
		out[i].Chosen = ""
	}
	mark(out, bestOf(out))
	return out
}

// tryBeyond runs one trial, as letterTrials.try does. It returns the trial's validation error, in percent, for each
// number of training letters in beyondSizes.
func (t *table5) tryBeyond(trial Trial) []float64 {
	const draws = 5
	return t.store.Numbers(letterTrialKey(lettersBeyond, &trial), func() []float64 {
		B := t.LearnBasis(trial.Atoms, trial.BasisLambda)
		train, validation := t.c.Train.First(draws*slices.Max(beyondSizes)), t.c.Validation.First(2000)
		W, V := trial.code(t.Context(), B, train.X), trial.code(t.Context(), B, validation.X)
		out := make([]float64, len(beyondSizes))
		for k, n := range beyondSizes {
			out[k] = meanError(t.Context(), W, train.Y, n, draws, V, validation.Y, t.c.Classes)
		}
		t.say("letters: %s, n = %d, basis λ %v, λ %v, p %v, %v letters: validation error %.2f %%", trial.Prior, trial.Atoms, trial.BasisLambda, trial.Lambda, trial.P, beyondSizes, out)
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

// endedEarly returns a note if the search for KL's settings for n training letters ended too early, and says how much
// was lost. It returns "" if this is not known, or if the loss is at most table 5's tolerance. A search that ended
// early is a defect of the table's row.
func (t *table5) endedEarly(n int) string {
	if !slices.Contains(beyondSizes, n) || !t.Full() || t.c.Data.Generated {
		return ""
	}
	gain := chosenError(t.LetterSearch(n), "KL") - chosenError(t.lettersBeyond(n), "KL")
	if gain <= table5Tolerance {
		return ""
	}
	return fmt.Sprintf("; the search ended too early, for a larger λ and basis add %.2f points on the validation letters (table5-own-beyond-%d), and were not tried for all columns", gain, n)
}

// beyondRows adds rows about the effect of larger λ on table 5. The first rows are about the validation letters,
// which determine the choice of λ; the others are about the test letters.
func (t *table5) beyondRows() {
	for _, n := range beyondSizes {
		grid, all := t.LetterSearch(n), t.lettersBeyond(n)
		gain := func(prior string) float64 { return chosenError(grid, prior) - chosenError(all, prior) }
		s := bestOf(all)
		t.Row(record.Row{ID: fmt.Sprintf("table5-own-beyond-%d", n), What: fmt.Sprintf("%d training letters: what λ beyond the grid of the search add to the accuracy of KL codes on the validation letters", n),
			Measured: record.Number(gain("KL"), "points"), Rule: record.Between(-table5Tolerance, table5Tolerance), Repeat: 0.5, Data: t.c.Data,
			Reason: fmt.Sprintf("n = %d, basis λ = %v, L1 λ = %v, KL λ = %v, p = %v: %.2f %% in place of %.2f %%; L1 codes gain %.2f points", s.Atoms, s.BasisLambda, s.L1Lambda, s.KLLambda, s.P,
				100-chosenError(all, "KL"), 100-chosenError(grid, "KL"), gain("L1"))})
	}
	const n, k = 1000, 2 // the third of LetterSizes
	draws, _ := t.draws(n)
	for _, col := range []struct {
		id, what  string
		published float64
	}{{"l1", "L1", published5.L1[k]}, {"kl", "KL", published5.KL[k]}} {
		t.use(n)
		before := averageAccuracy(draws, func(r int) []float64 { return t.accuracy(col.id, n, r) })
		t.set(bestOf(t.lettersBeyond(n)))
		after := averageAccuracy(draws, func(r int) []float64 { return t.accuracy(col.id, n, r) })
		t.Row(record.Row{ID: fmt.Sprintf("table5-own-beyond-%s-%d", col.id, n), What: fmt.Sprintf("%d training letters, %s codes: the accuracy on the test letters with what is best of the wider grid, less the published one", n, col.what),
			Measured: record.Number(after.Test-col.published, "points"), Rule: record.Between(-table5Tolerance, table5Tolerance), Repeat: 0.5, Data: t.c.Data, Look: lookAtLetters(col.id, n, bestOf(t.lettersBeyond(n))),
			Reason: fmt.Sprintf("%.2f %%, with the values of the table %.2f %%; published %.1f %%", after.Test, before.Test, col.published)})
	}
}
