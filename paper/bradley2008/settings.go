package bradley2008

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/paper/lab"
)

// Settings are the values that the paper chooses on the validation set, or does not state.
type Settings struct {
	Atoms       int     // n; not stated
	BasisLambda float64 // λ while B is learned; not stated
	L1Lambda    float64
	KLLambda    float64
	P           float64
}

// A Trial is a prior with settings that Search tried. Error is the error of a maxent classifier trained on the codes
// of 10,000 digits of the training part.
type Trial struct {
	Prior       string // "L1" or "KL"
	Atoms       int
	BasisLambda float64
	Lambda, P   float64
	Alpha       float64 // α of the classifier, the best of alphas
	Error       float64 // on the validation part, in percent
	Chosen      string  // "✓" for the chosen settings
}

// alphas are the strengths to try for the classifier's penalty.
var alphas = []float64{1e-3, 1e-4, 1e-5, 1e-6}

// Settings returns the settings that Search chose for MNIST. For generated digits they are fixed.
func (l *Lab) Settings() Settings {
	if l.Digits().Data.Generated {
		return Settings{Atoms: l.Pick(64, 192, 0), BasisLambda: 0.3, L1Lambda: 0.4, KLLambda: 0.1, P: 0.01}
	}
	best, _ := l.Search()
	return best
}

// SearchTable returns the trials of Search as a table for a cell, with the chosen settings marked. The chosen number
// of atoms, 512, is the largest that was tried. A larger basis might do better, but would take more time than was
// available. On generated digits nothing is searched: SearchTable returns the fixed settings, without errors.
func (l *Lab) SearchTable() []Trial {
	if l.Digits().Data.Generated {
		return fixedTrials(l.Settings())
	}
	_, trials := l.Search()
	return trials
}

// fixedTrials returns a trial for each prior with the settings s. Their Alpha and Error are NaN. On generated data,
// where there is no search, these trials replace those of Search.
func fixedTrials(s Settings) []Trial {
	return []Trial{
		{"L1, not searched", s.Atoms, s.BasisLambda, s.L1Lambda, 0, math.NaN(), math.NaN(), chosen},
		{"KL, not searched", s.Atoms, s.BasisLambda, s.KLLambda, s.P, math.NaN(), math.NaN(), chosen},
	}
}

// Search tries several bases B and λ for L1, and then several λ and p for KL. For KL it uses the basis that is best
// for L1, because the paper uses the same basis for all priors. The results are stored with the trained bases, and
// Search reads them there. If they are missing, a run at full size searches again; at smaller sizes Search panics.
func (l *Lab) Search() (best Settings, trials []Trial) { return digitSearch{l}.run() }

// A digitSearch is the search on the validation digits.
type digitSearch struct{ *Lab }

func (t digitSearch) run() (best Settings, trials []Trial) {
	var l1 []Settings
	for _, b := range bases {
		for _, lambda := range []float64{0.2, 0.4, 0.8, 1.2} {
			l1 = append(l1, Settings{Atoms: b.n, BasisLambda: b.lambda, L1Lambda: lambda})
		}
	}
	kl := func(best Settings) []Settings {
		var out []Settings
		for _, lambda := range []float64{0.05, 0.1, 0.2, 0.4} {
			for _, p := range []float64{1e-3, 1e-2, 3e-2} {
				s := best
				s.KLLambda, s.P = lambda, p
				out = append(out, s)
			}
		}
		return out
	}
	// least returns the settings in s with the least error. In m, their rows begin at the row with the index from.
	least := func(m *mat.Dense, from int, s []Settings) Settings {
		k := 0
		for i := range s {
			if m.At(from+i, 1) < m.At(from+k, 1) {
				k = i
			}
		}
		return s[k]
	}
	found := t.store.Matrix(searchKey, func() *mat.Dense { // alpha and error of each trial
		if !t.Full() {
			panic("bradley2008: the search is not among the trained bases: run the full size first")
		}
		n := len(l1)
		m := mat.NewDense(n+len(kl(Settings{})), 2, nil)
		for i, s := range l1 {
			m.SetRow(i, t.try("L1", s))
		}
		for i, s := range kl(least(m, 0, l1)) {
			m.SetRow(n+i, t.try("KL", s))
		}
		return m
	})
	add := func(prior string, s Settings, lambda, p float64) {
		k := len(trials)
		trials = append(trials, Trial{prior, s.Atoms, s.BasisLambda, lambda, p, found.At(k, 0), found.At(k, 1), ""})
	}
	for _, s := range l1 {
		add("L1", s, s.L1Lambda, 0)
	}
	onKL := kl(least(found, 0, l1))
	for _, s := range onKL {
		add("KL", s, s.KLLambda, s.P)
	}
	best = least(found, len(l1), onKL)
	mark(trials, best)
	return best, trials
}

const chosen = "✓"

// mark sets the field Chosen of the trials that have the settings s.
func mark(trials []Trial, s Settings) {
	for i := range trials {
		t := &trials[i]
		l1 := t.Prior == "L1" && t.Lambda == s.L1Lambda
		kl := t.Prior == "KL" && t.Lambda == s.KLLambda && t.P == s.P
		if t.Atoms == s.Atoms && t.BasisLambda == s.BasisLambda && (l1 || kl) {
			t.Chosen = chosen
		}
	}
}

// bases are the bases of the search. The search ends at n = 512 because of the cost of larger bases.
var bases = []struct {
	n      int
	lambda float64
}{{256, 0.3}, {512, 0.15}, {512, 0.3}, {512, 0.6}, {512, 1}}

// try runs one trial and returns the best alpha, and the validation error in percent.
func (t digitSearch) try(prior string, s Settings) []float64 {
	key := tryKey(prior, s)
	return t.store.Numbers(key, func() []float64 {
		d := t.Digits()
		B := t.LearnBasis(s.Atoms, s.BasisLambda)
		code := func(X mat.Matrix) *mat.Dense {
			if prior == "L1" {
				return CodeL1(t.Context(), B, X, s.L1Lambda)
			}
			return CodeKL(t.Context(), B, X, s.KLLambda, s.P)
		}
		train := d.Train.First(10000)
		alpha, e, _ := chooseMaxent(t.Context(), code(train.X), train.Y, code(d.Validation.X), d.Validation.Y)
		t.say("%s: validation error %.2f %%, alpha %v", key.Name(), 100*e, alpha)
		return []float64{alpha, 100 * e}
	})
}

// chooseMaxent trains maxent classifiers on the codes W (m×N) with labels y, one for each penalty in the list called
// alphas. It returns the classifier with the least error on the codes V (m×Nv) with labels yv, its penalty, and this
// error (0 to 1).
func chooseMaxent(ctx context.Context, W *mat.Dense, y []int, V *mat.Dense, yv []int) (alpha, validation float64, best *classify.Maxent) {
	return leastError(ctx, W, y, V, yv, 10, alphas, len(alphas), func(float64) float64 { return 1e-5 })
}

// leastError trains a maxent classifier on the columns of W (m×N) for each penalty in alphas, starting from the
// previous classifier. tolerance(alpha) is the tolerance for the penalty alpha. leastError returns the classifier with
// the least error on the columns of V (m×Nv), its penalty, and this error (0 to 1). It stops after several
// successive penalties without improvement; their number is patience.
func leastError(ctx context.Context, W mat.Matrix, y []int, V mat.Matrix, yv []int, classes int, alphas []float64, patience int, tolerance func(alpha float64) float64) (alpha, validation float64, best *classify.Maxent) {
	validation = 2
	var last *classify.Maxent
	worse := 0
	for _, a := range alphas {
		m, err := classify.FitMaxent(ctx, W.T(), y, &classify.MaxentOptions{Alpha: a, Classes: classes, Tolerance: tolerance(a), MaxIterations: 400, Start: last})
		lab.Check(ended.Accept(err))
		last = m
		if e := classify.ErrorRate(m.Predict(V.T()), yv); e < validation {
			alpha, validation, best, worse = a, e, m, 0
		} else if worse++; worse == patience {
			break
		}
	}
	return alpha, validation, best
}
