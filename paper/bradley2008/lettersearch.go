package bradley2008

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// letterBases are the bases of digits among which LetterSearch chooses.
var letterBases = []Settings{{Atoms: 128, BasisLambda: 0.3}, {Atoms: 256, BasisLambda: 0.3}, {Atoms: 512, BasisLambda: 0.3}, {Atoms: 512, BasisLambda: 0.6}}

// searchedSizes are the numbers of training letters for which LetterSearch has
// results; more of them take what is best for the last.
var searchedSizes = [4]int{100, 500, 1000, 5000}

// LetterSettings returns the basis, λ of L1, and λ and p of KL for n training
// characters, which LetterSearch found. One choice for all n would be the choice that
// suits many characters.
func (l *Lab) LetterSettings(n int) Settings {
	if l.Digits().Data.Generated {
		return l.Settings()
	}
	return bestOf(l.LetterSearch(n))
}

// bestOf is the basis on which L1 and KL have the least mean of their errors, each
// with its best λ and p; both priors have one basis, as in the paper.
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

// priorGrid is trials, yet to be made, of all the given λ and p.
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

// code returns the codes that the trial is about.
func (t *Trial) code(ctx context.Context, B, X mat.Matrix) *mat.Dense {
	if t.Prior == "L1" {
		return CodeL1(ctx, B, X, t.Lambda)
	}
	return CodeKL(ctx, B, X, t.Lambda, t.P)
}

// LetterSearch tries bases of digits, λ and p for n training letters. It measures
// the error on 2000 validation letters of classifiers trained on the codes of n
// letters, averaged over up to five draws. All trials for all n are kept as one
// matrix; below full size it is only read. For generated digits nothing is searched
// for.
func (l *Lab) LetterSearch(n int) []Trial {
	if l.Digits().Data.Generated {
		return l.notSearched()
	}
	var trials []Trial
	for _, b := range letterBases {
		trials = append(trials, priorGrid(b, []float64{0.1, 0.2, 0.4}, []float64{0.05, 0.1, 0.2}, []float64{1e-3, 1e-2})...)
	}
	const name = "letters-search"
	found := l.store.Matrix(name, func() *mat.Dense { // error, by trial and searchedSizes
		if !l.Full() {
			panic(fmt.Errorf("bradley2008: the search's result %s is not there: run the full size first", name))
		}
		out := mat.NewDense(len(trials), len(searchedSizes), nil)
		for i, t := range trials {
			out.SetRow(i, l.tryLetters(name, t))
		}
		return out
	})
	k := 0
	for k < len(searchedSizes)-1 && searchedSizes[k] < n {
		k++
	}
	for i := range trials {
		trials[i].Alpha, trials[i].Error = math.NaN(), found.At(i, k)
	}
	mark(trials, bestOf(trials))
	return trials
}

// tryLetters is one trial: the error, in per cent, for each of searchedSizes.
func (l *Lab) tryLetters(name string, t Trial) []float64 {
	return l.store.Numbers(key(name, strings.ToLower(t.Prior), t.Atoms, t.BasisLambda, t.Lambda, t.P), func() []float64 {
		c, B := l.Characters(), l.LearnBasis(t.Atoms, t.BasisLambda)
		train, validation := c.Train.First(searchedSizes[len(searchedSizes)-1]), c.Validation.First(2000)
		W, V := t.code(l.Context(), B, train.X), t.code(l.Context(), B, validation.X)
		m, _ := W.Dims()
		out := make([]float64, len(searchedSizes))
		for k, n := range searchedSizes {
			draws := min(5, train.N()/n)
			if draws == 0 {
				out[k] = math.NaN()
			}
			for r := range draws {
				from, to := r*n, (r+1)*n
				_, e, _ := chooseAlpha(l.Context(), W.Slice(0, m, from, to), train.Y[from:to], V, validation.Y, c.Classes)
				out[k] += 100 * e / float64(draws)
			}
		}
		l.say("letters: %s, n = %d, basis λ %v, λ %v, p %v: validation error %.2f %%", t.Prior, t.Atoms, t.BasisLambda, t.Lambda, t.P, out)
		return out
	})
}
