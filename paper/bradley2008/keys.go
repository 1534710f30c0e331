package bradley2008

import (
	"fmt"

	"overcomplete/paper/lab"
)

// The keys of stages. The words and values also form the names of files. If a value is formatted
// differently, the file has another name, and a stage in the folder trained is not found.

// data identifies the digits: MNIST, or a number of generated ones, by seed.
func (l *Lab) data() lab.Settings {
	d := l.Digits()
	if d.Data.Generated {
		return generatedDigits(d.Train.N(), l.Seed)
	}
	return mnistDigits
}

var mnistDigits = lab.NewSettings("data", "mnist")

func generatedDigits(n int, seed uint64) lab.Settings {
	return lab.NewSettings("data", "generated", "training", n, "data-seed", seed)
}

// coding identifies the digits and the settings on which all codes depend.
func (l *Lab) coding() lab.Settings {
	return lab.NewSettings(l.data(), l.Settings().settings())
}

// under is like coding, and includes the size of the run.
func (l *Lab) under() lab.Settings { return lab.NewSettings("size", l.Size, l.coding()) }

func (s Settings) settings() lab.Settings {
	return lab.NewSettings("atoms", s.Atoms, "basis-lambda", s.BasisLambda, "l1-lambda", s.L1Lambda, "kl-lambda", s.KLLambda, "p", s.P)
}

func (s Schedule) settings() lab.Settings {
	return lab.NewSettings("epochs", s.Epochs, "rate", s.Rate, "alpha", s.Alpha)
}

// settings returns the settings of a trial on given digits.
func (t *Trial) settings() lab.Settings {
	return lab.NewSettings("prior", t.Prior, "atoms", t.Atoms, "basis-lambda", t.BasisLambda, "lambda", t.Lambda, "p", t.P)
}

func axesKey(data lab.Settings) lab.Key { return lab.NewKey("axes", data) }

func basisKey(data lab.Settings, n int, lambda float64) lab.Key {
	return lab.NewKey("basis-l1", data, "atoms", n, "lambda", lambda)
}

var searchKey = lab.NewKey("search", mnistDigits)

func tryKey(prior string, s Settings) lab.Key {
	if prior == "KL" {
		return lab.NewKey("search", "prior", prior, "atoms", s.Atoms, "basis-lambda", s.BasisLambda, "lambda", s.KLLambda, "p", s.P)
	}
	return lab.NewKey("search", "prior", prior, "atoms", s.Atoms, "basis-lambda", s.BasisLambda, "lambda", s.L1Lambda)
}

// stabilityKey returns the key for the test digits from..to. The disturbances depend on the run's
// seed, which is in the key, and not on the seed of generated digits.
func (l *Lab) stabilityKey(prior string, s Settings, from, to int) lab.Key {
	data := mnistDigits
	if d := l.Digits(); d.Data.Generated {
		data = lab.NewSettings("data", "generated", "training", d.Train.N())
	}
	lambda, p := s.L1Lambda, 0.
	if prior == "KL" {
		lambda, p = s.KLLambda, s.P
	}
	return lab.NewKey("stability", data, "atoms", s.Atoms, "basis-lambda", s.BasisLambda, "prior", prior, "lambda", lambda, "p", p, "seed", l.Seed, "from", from, "to", to)
}

// figure1Key returns the key for a regularizer; n is the number of training digits.
func (l *Lab) figure1Key(id string, lambda float64, n int) lab.Key {
	s := l.Settings()
	return lab.NewKey("figure1", l.data(), "size", l.Size, "prior", id, "atoms", s.Atoms, "basis-lambda", s.BasisLambda, "lambda", lambda, "kl-lambda", s.KLLambda, "p", s.P, "digits", n)
}

// errorsKey returns the key for draw r of n digits; what begins with "table2-".
func (l *Lab) errorsKey(what string, n, r int) lab.Key {
	return lab.NewKey(what, l.under(), "digits", n, "draw", r)
}

func (l *Lab) backpropErrorsKey(n, r int) lab.Key {
	return l.errorsKey("table2-backprop", n, r).With(l.schedule(n).settings(), "penalties", len(l.penalties(n)), "seed", l.Seed)
}

func (l *Lab) pathKey(n int) lab.Key   { return lab.NewKey("table2-path", l.under(), "digits", n) }
func (l *Lab) weakerKey(n int) lab.Key { return lab.NewKey("table2-weaker", l.under(), "digits", n) }

// longerKey returns the key for all of longer, longerTrialKey for one of them.
func (l *Lab) longerKey(n int) lab.Key {
	return lab.NewKey("table2-longer", l.under(), "digits", n, "seed", l.Seed)
}

func (l *Lab) longerTrialKey(n int, rate float64, epochs int) lab.Key {
	return lab.NewKey("table2-longer", l.under(), "digits", n, "rate", rate, "epochs", epochs, "seed", l.Seed)
}

func (l *Lab) longerBasisKey(n int, s Schedule) lab.Key {
	return lab.NewKey("backprop-longer", l.under(), "digits", n, s.settings(), "seed", l.Seed)
}

func (l *Lab) backpropKey(n, r int, s Schedule) lab.Key {
	return lab.NewKey("backprop", l.under(), "digits", n, "draw", r, s.settings(), "seed", l.Seed)
}

// Keys for a basis that was trained further, and for its classifier.
func headKey(basis lab.Key) lab.Key       { return basis.With("part", "head") }
func validationKey(basis lab.Key) lab.Key { return basis.With("part", "validation") }

func (l *Lab) schedulesKey(n int) lab.Key { return lab.NewKey("schedules", l.coding(), "digits", n) }

func (l *Lab) scheduleKey(n int, rate float64) lab.Key {
	return lab.NewKey("schedule", l.under(), "digits", n, "rate", rate)
}

func (l *Lab) scheduleBasisKey(n int, rate float64) lab.Key {
	return lab.NewKey("schedule-basis", l.under(), "digits", n, "rate", rate)
}

// validationErrorKey and testErrorKey return the keys for a classifier on features of n digits.
func (l *Lab) validationErrorKey(c *classifier, feature string, n int, s setting) lab.Key {
	return l.classifierKey(c, feature, lab.NewSettings("digits", n), s)
}

func (l *Lab) testErrorKey(c *classifier, feature string, n int, s setting) lab.Key {
	return l.classifierKey(c, feature, lab.NewSettings("part", "test", "digits", n), s)
}

func (l *Lab) classifierKey(c *classifier, feature string, on lab.Settings, s setting) lab.Key {
	return lab.NewKey("table3", "classifier", c.id, "features", feature, l.under(), on,
		c.axes[0], fmt.Sprintf("%.4g", s.first), c.axes[1], fmt.Sprintf("%.4g", s.second), "seed", l.Seed)
}

// key returns the key for results that depend on draw r of n letters, and, except for features
// without codes, on the settings.
func (t *transfer) key(what string, n, r int) lab.Key {
	k := lab.NewKey("letters-"+what, "size", t.l.Size, "letters", n, "draw", r)
	switch what {
	case "raw", "raw-128", "pca":
	default:
		k = k.With(t.s.settings())
	}
	return k.With("seed", t.l.Seed)
}

// The results of trials on letters, distinguished by the first word of their keys.
const (
	letterSearch  = "letters-search"
	lettersWider  = "letters-wider"
	lettersBeyond = "letters-beyond"
)

func letterTrialKey(what string, t *Trial) lab.Key { return lab.NewKey(what, t.settings()) }

func widerTrialKey(t *widerTrial) lab.Key {
	return lab.NewKey(lettersWider, "box", t.Box, "atoms", t.Atoms, "basis-lambda", t.BasisLambda, "lambda", t.Lambda, "p", t.P)
}

// wordsKey returns the key for a basis of words and its results.
func (s WordSettings) wordsKey(what string, d *Documents) lab.Key {
	base := "zero"
	if s.BaseRates {
		base = "rates"
	}
	return lab.NewKey(what, d.key, "atoms", s.Atoms, "lambda", s.Lambda, "p", s.P, "base", base, "rate", s.Rate, "passes", s.Passes)
}

// codesKey returns the key for the documents' codes on a basis of words.
func codesKey(basis lab.Key) lab.Key { return basis.With("part", "codes") }

func (s WordSettings) ratedKey(d *Documents, rate float64, passes, fold int) lab.Key {
	return s.wordsKey("rated", d).With("rated-rate", rate, "rated-passes", passes, "fold", fold)
}

func (s WordSettings) predictedKey(d *Documents, fold int) lab.Key {
	return s.wordsKey("words-predicted", d).With("fold", fold)
}

// regressionKey returns the key for a regression on the counts of words.
func regressionKey(what string, d *Documents) lab.Key { return lab.NewKey(what, d.key) }

// topicsKey returns the key for K topics.
func topicsKey(what string, d *Documents, K, passes int) lab.Key {
	return lab.NewKey(what, d.key, "topics", K, "passes", passes)
}

func (l *Lab) musicBasisKey(n int) lab.Key {
	return lab.NewKey("music-basis", "size", l.Size, "atoms", n, "seed", l.Seed)
}

func (l *Lab) musicTrialKey(t *Trial) lab.Key {
	return lab.NewKey("music-search", "size", l.Size, "prior", t.Prior, "atoms", t.Atoms, "lambda", t.Lambda, "p", t.P, "seed", l.Seed)
}

// musicKey returns the key for draw r of n snippets.
func (l *Lab) musicKey(feature string, s Settings, n, r int) lab.Key {
	return lab.NewKey("music-"+feature, "size", l.Size, "snippets", n, "draw", r, "atoms", s.Atoms, "l1-lambda", s.L1Lambda, "kl-lambda", s.KLLambda, "p", s.P, "seed", l.Seed)
}
