package bradley2008

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/letters"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// letterBases are the bases of digits among which LetterSearch chooses.
var letterBases = []Settings{{Atoms: 128, BasisLambda: 0.3}, {Atoms: 256, BasisLambda: 0.3}, {Atoms: 512, BasisLambda: 0.3}, {Atoms: 512, BasisLambda: 0.6}, {Atoms: 1024, BasisLambda: 0.3}}

// letterLambdas and letterPs are the values of λ and p that LetterSearch may try.
var (
	letterLambdas = []float64{0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2}
	letterPs      = []float64{1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1}
)

// searchedSizes are the numbers of training letters for which LetterSearch has results. For a larger number of letters,
// the result for the last of searchedSizes is used.
var searchedSizes = [4]int{100, 500, 1000, 5000}

// LetterSettings returns the settings that LetterSearch found for n training characters: the basis, the λ of L1, and
// the λ and p of KL. For generated digits it returns the result of the method Settings.
func (l *Lab) LetterSettings(n int) Settings {
	if l.Digits().Data.Generated {
		return l.Settings()
	}
	return bestOf(l.LetterSearch(n))
}

// bestOf returns the best basis with, for each prior, the λ and p that have the least error on this basis. The best
// basis is the one with the smallest sum of these two errors. Both priors use the same basis, as in the paper.
func bestOf(trials []Trial) Settings {
	type errors struct {
		Settings
		l1, kl float64
	}
	var bases []*errors
	at := func(t Trial) *errors {
		for _, e := range bases {
			if e.Atoms == t.Atoms && e.BasisLambda == t.BasisLambda {
				return e
			}
		}
		e := &errors{Settings{Atoms: t.Atoms, BasisLambda: t.BasisLambda}, math.Inf(1), math.Inf(1)}
		bases = append(bases, e)
		return e
	}
	for _, t := range trials {
		switch e := at(t); {
		case t.Prior == "L1" && t.Error < e.l1:
			e.l1, e.L1Lambda = t.Error, t.Lambda
		case t.Prior == "KL" && t.Error < e.kl:
			e.kl, e.KLLambda, e.P = t.Error, t.Lambda, t.P
		}
	}
	best := bases[0]
	for _, e := range bases {
		if e.l1+e.kl < best.l1+best.kl {
			best = e
		}
	}
	return best.Settings
}

// priorGrid returns trials that have not run yet, all on the basis that s describes: L1 with each λ in the slice l1,
// and KL with each combination of a λ in the slice kl and a value in the slice p.
func priorGrid(s Settings, l1, kl, p []float64) []Trial {
	var out []Trial
	for _, x := range l1 {
		out = append(out, Trial{Prior: "L1", Atoms: s.Atoms, BasisLambda: s.BasisLambda, Lambda: x})
	}
	for _, x := range kl {
		for _, q := range p {
			out = append(out, Trial{Prior: "KL", Atoms: s.Atoms, BasisLambda: s.BasisLambda, Lambda: x, P: q})
		}
	}
	return out
}

// code returns the codes of the signals X on the basis B, with the trial's prior, λ and p.
func (t *Trial) code(ctx context.Context, B, X mat.Matrix) *mat.Dense {
	if t.Prior == "L1" {
		return CodeL1(ctx, B, X, t.Lambda)
	}
	return CodeKL(ctx, B, X, t.Lambda, t.P)
}

// LetterSearch returns the trials of the search for the best settings with n training letters. The settings are λ, p
// and the basis, which is learned from digits. Each trial trains classifiers on the codes of training letters, and
// measures their error on 2000 validation letters, averaged over up to five draws. The errors are for the first of
// searchedSizes that is at least n, or for the last if all are smaller. The trials are sorted by error, and the best
// settings are marked.
//
// On each basis the search begins with a few values, and tries the neighbors of the best ones until none is better
// (see descend). The errors of all trials for all of searchedSizes are stored as one matrix. Only the full size
// computes this matrix; the smaller sizes read it, and panic if it is missing. There is no search for generated
// digits.
func (l *Lab) LetterSearch(n int) []Trial {
	if l.Digits().Data.Generated {
		return fixedTrials(l.Settings())
	}
	found := l.store.Matrix(lab.NewKey(letterSearch), func() *mat.Dense {
		if !l.Full() {
			panic(fmt.Errorf("bradley2008: the search result %s is missing: run the full size first", letterSearch))
		}
		return letterTrials{l}.search()
	})
	k := 0
	for k < len(searchedSizes)-1 && searchedSizes[k] < n {
		k++
	}
	rows, _ := found.Dims()
	trials := make([]Trial, rows)
	for i := range trials {
		trials[i] = keptTrial(found.RawRowView(i), k)
	}
	mark(trials, bestOf(trials))
	slices.SortStableFunc(trials, func(a, b Trial) int { return cmp.Compare(a.Error, b.Error) })
	return trials
}

// A searched is a trial that has run, with its error, in percent, for each of searchedSizes.
type searched struct {
	Trial
	errors []float64
}

// row returns the trial's row in the matrix of all trials; keptTrial reads it.
func (s searched) row() []float64 {
	prior := 0.0
	if s.Prior == "KL" {
		prior = 1
	}
	return append([]float64{prior, float64(s.Atoms), s.BasisLambda, s.Lambda, s.P}, s.errors...)
}

// keptTrial returns the trial in a row of the matrix of all trials, with its error for searchedSizes[k].
func keptTrial(row []float64, k int) Trial {
	prior := "L1"
	if row[0] == 1 {
		prior = "KL"
	}
	return Trial{Prior: prior, Atoms: int(row[1]), BasisLambda: row[2], Lambda: row[3], P: row[4], Alpha: math.NaN(), Error: row[5+k]}
}

// descend first runs the given trials. Then, for each of searchedSizes, it runs the neighbors of the best trial so far,
// and repeats this until all these neighbors have run. So in the end, for each of searchedSizes, no neighbor of the
// best trial is better than that trial.
func descend(start []Trial, try func(Trial) []float64) []searched {
	var out []searched
	visit := func(t Trial) {
		if !slices.ContainsFunc(out, func(s searched) bool { return s.Trial == t }) {
			out = append(out, searched{t, try(t)})
		}
	}
	for _, t := range start {
		visit(t)
	}
	for before := 0; before < len(out); {
		before = len(out)
		for k := range searchedSizes {
			best := slices.MinFunc(out, func(a, b searched) int { return cmp.Compare(a.errors[k], b.errors[k]) })
			for _, t := range neighbors(best.Trial) {
				visit(t)
			}
		}
	}
	return out
}

// neighbors returns the trials that differ from t by one step: the next larger or smaller λ or, for KL, the next
// larger or smaller p.
func neighbors(t Trial) []Trial {
	var out []Trial
	add := func(values []float64, now float64, with func(*Trial, float64)) {
		i := slices.Index(values, now)
		for _, j := range []int{i + 1, i - 1} {
			if j >= 0 && j < len(values) {
				next := t
				with(&next, values[j])
				out = append(out, next)
			}
		}
	}
	add(letterLambdas, t.Lambda, func(t *Trial, v float64) { t.Lambda = v })
	if t.Prior == "KL" {
		add(letterPs, t.P, func(t *Trial, v float64) { t.P = v })
	}
	return out
}

// A widerTrial is a trial of KL with letters that are scaled to Box×Box pixels. LetterSearch scales all letters to
// letterBox.
type widerTrial struct {
	Trial
	Box int
}

// widerTrials returns trials for 1000 training letters: three boxes, and for each of them nine settings.
func widerTrials() []widerTrial {
	var out []widerTrial
	for _, box := range []int{letterBox, 24, Side} {
		for _, atoms := range []int{256, 512, 1024} {
			for _, v := range [][2]float64{{0.2, 0.01}, {0.4, 0.01}, {0.2, 0.03}} {
				out = append(out, widerTrial{Trial{Prior: "KL", Atoms: atoms, BasisLambda: 0.3, Lambda: v[0], P: v[1]}, box})
			}
		}
	}
	return out
}

// widerLetters returns the error of each of widerTrials for 1000 training letters, in percent,
// measured as in LetterSearch.
func (t *table5) widerLetters() []float64 {
	const n, draws = 1000, 5
	return t.store.Numbers(lab.NewKey(lettersWider), func() []float64 {
		var out []float64
		for _, trial := range widerTrials() {
			out = append(out, t.store.Numbers(widerTrialKey(&trial), func() []float64 {
				B, d := t.LearnBasis(trial.Atoms, trial.BasisLambda), t.Digits()
				codes := func(p *CharacterPart, n int) *mat.Dense {
					small := p.Small.Slice(0, letters.Height*letters.Width, 0, n)
					return trial.code(t.Context(), B, d.Project(Enlarge(small, trial.Box).T()))
				}
				validation := t.c.Validation.First(2000)
				W, V := codes(&t.c.Train, draws*n), codes(&t.c.Validation, validation.N())
				e := meanError(t.Context(), W, t.c.Train.Y, n, draws, V, validation.Y, t.c.Classes)
				t.say("letters in a box of %d, n = %d, λ %v, p %v: validation error %.2f %%", trial.Box, trial.Atoms, trial.Lambda, trial.P, e)
				return []float64{e}
			})...)
		}
		return out
	})
}

// widerRow adds a row that says whether any of widerTrials has a smaller validation error than the settings of table
// 5.
func (t *table5) widerRow() {
	chosen := chosenError(t.LetterSearch(1000), "KL")
	trials, errors := widerTrials(), t.widerLetters()
	best := 0
	byBox := map[int]float64{}
	for i, e := range errors {
		if e < errors[best] {
			best = i
		}
		box := trials[i].Box
		byBox[box] = max(byBox[box], 100-e)
	}
	found := trials[best]
	t.Row(record.Row{ID: "table5-own-wider-1000", What: "1000 training letters, validation accuracy on KL codes: best of 27 combinations of box size and settings minus the table's settings (box size 20)",
		Measured: record.Number(chosen-errors[best], "points"), Rule: record.Between(-1, 1), Repeat: 0.5, Data: t.c.Data,
		Reason: fmt.Sprintf("%d combinations; the best has box size %d, n = %d, λ = %v, p = %v: %.2f %% instead of %.2f %%; best accuracy with box sizes %d, 24 and %d: %.2f, %.2f and %.2f %%",
			len(trials), found.Box, found.Atoms, found.Lambda, found.P, 100-errors[best], 100-chosen, letterBox, Side, byBox[letterBox], byBox[24], byBox[Side])})
}

// chosenError returns the validation error, in percent, of the trial with this prior that is marked as chosen. It
// panics if no such trial is marked.
func chosenError(trials []Trial, prior string) float64 {
	for _, t := range trials {
		if t.Prior == prior && t.Chosen != "" {
			return t.Error
		}
	}
	panic("bradley2008: no trial of " + prior + " is marked")
}

// meanError trains several classifiers (their number is draws), and returns the mean of their errors on the validation
// codes V, in percent. Each classifier is trained on n columns of W that no other classifier uses. If draws is 0,
// meanError returns NaN.
func meanError(ctx context.Context, W *mat.Dense, y []int, n, draws int, V mat.Matrix, yv []int, classes int) (e float64) {
	if draws == 0 {
		return math.NaN()
	}
	m, _ := W.Dims()
	for r := range draws {
		from, to := r*n, (r+1)*n
		_, one, _ := chooseAlpha(ctx, W.Slice(0, m, from, to), y[from:to], V, yv, classes)
		e += 100 * one / float64(draws)
	}
	return e
}

// letterTrials runs the trials of LetterSearch.
type letterTrials struct{ *Lab }

// search runs the trials on each of letterBases. It returns one row for each trial (see searched.row).
func (l letterTrials) search() *mat.Dense {
	columns := 5 + len(searchedSizes)
	var rows []float64
	for _, b := range letterBases {
		for _, start := range [][]Trial{
			priorGrid(b, []float64{0.1, 0.2, 0.4}, nil, nil),
			priorGrid(b, nil, []float64{0.05, 0.1, 0.2}, []float64{1e-3, 1e-2}),
		} {
			for _, s := range descend(start, l.try) {
				rows = append(rows, s.row()...)
			}
		}
	}
	return mat.NewDense(len(rows)/columns, columns, rows)
}

// try runs one trial and returns its error, in percent, for each of searchedSizes.
func (l letterTrials) try(t Trial) []float64 {
	return l.store.Numbers(letterTrialKey(&t), func() []float64 {
		c, B := l.Characters(), l.LearnBasis(t.Atoms, t.BasisLambda)
		train, validation := c.Train.First(searchedSizes[len(searchedSizes)-1]), c.Validation.First(2000)
		W, V := t.code(l.Context(), B, train.X), t.code(l.Context(), B, validation.X)
		out := make([]float64, len(searchedSizes))
		for k, n := range searchedSizes {
			out[k] = meanError(l.Context(), W, train.Y, n, min(5, train.N()/n), V, validation.Y, c.Classes)
		}
		l.say("letters: %s, n = %d, basis λ %v, λ %v, p %v: validation error %.2f %%", t.Prior, t.Atoms, t.BasisLambda, t.Lambda, t.P, out)
		return out
	})
}
