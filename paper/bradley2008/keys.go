package bradley2008

import (
	"fmt"

	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// The keys of stages. The words and values also form the names of files. If a value is formatted
// differently, the file has another name, and a stage in the folder trained is not found.

// keys is the type whose methods make the keys under which the results of a run are stored (see lab.Key). Its fields
// describe the run. Each method puts into the key only the fields on which the result depends.
type keys struct {
	size       string
	seed       uint64
	data       lab.Settings // the digits: MNIST, or the number and the seed of generated digits
	unseeded   lab.Settings // like data, without the seed of generated digits
	chosen     Settings
	coding     lab.Settings // data and chosen, on which all codes depend
	codingSize lab.Settings // size and coding
}

// keysOf returns the keys for the digits and settings of l.
func keysOf(l *Lab) keys {
	d, s := l.Digits(), l.Settings()
	k := keys{size: l.Size, seed: l.Seed, data: digitsOf(d.Data, d.Train.N(), l.Seed), unseeded: mnistDigits, chosen: s}
	if d.Data.Generated {
		k.unseeded = lab.NewSettings("data", "generated", "training", d.Train.N())
	}
	k.coding = lab.NewSettings(k.data, s.settings())
	k.codingSize = lab.NewSettings("size", l.Size, k.coding)
	return k
}

var mnistDigits = lab.NewSettings("data", "mnist")

// digitsOf identifies digits, of which n are for training.
func digitsOf(data record.Data, n int, seed uint64) lab.Settings {
	if data.Generated {
		return lab.NewSettings("data", "generated", "training", n, "data-seed", seed)
	}
	return mnistDigits
}

func (s Settings) settings() lab.Settings {
	return lab.NewSettings("atoms", s.Atoms, "basis-lambda", s.BasisLambda, "l1-lambda", s.L1Lambda, "kl-lambda", s.KLLambda, "p", s.P)
}

func (s Schedule) settings() lab.Settings {
	return lab.NewSettings("epochs", s.Epochs, "rate", s.Rate, "alpha", s.Alpha)
}

// settings returns the values of a trial that are part of its key. The key does not depend on the digits.
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

// stability returns the key for the stability of the codes of test digits from..to−1, computed with the given prior
// and the settings s. The key contains the run's seed, which determines the disturbances and, if the digits are
// generated, the digits.
func (k keys) stability(prior string, s Settings, from, to int) lab.Key {
	lambda, p := s.L1Lambda, 0.
	if prior == "KL" {
		lambda, p = s.KLLambda, s.P
	}
	return lab.NewKey("stability", k.unseeded, "atoms", s.Atoms, "basis-lambda", s.BasisLambda, "prior", prior, "lambda", lambda, "p", p, "seed", k.seed, "from", from, "to", to)
}

// figure1 returns the key for the results of figure 1 for the regularizer with the given id; n is the number of
// training digits.
func (k keys) figure1(id string, lambda float64, n int) lab.Key {
	s := k.chosen
	return lab.NewKey("figure1", k.data, "size", k.size, "prior", id, "atoms", s.Atoms, "basis-lambda", s.BasisLambda, "lambda", lambda, "kl-lambda", s.KLLambda, "p", s.P, "digits", n)
}

// on returns the key for results of the given name, measured on n training digits. The method keys.errors returns the
// key for such results on draw r, one of several subsets of n digits.
func (k keys) on(what string, n int) lab.Key        { return lab.NewKey(what, k.codingSize, "digits", n) }
func (k keys) errors(what string, n, r int) lab.Key { return k.on(what, n).With("draw", r) }

func (k keys) backpropErrors(n, r int, s Schedule, penalties int) lab.Key {
	return k.errors("table2-backprop", n, r).With(s.settings(), "penalties", penalties, "seed", k.seed)
}

func (k keys) backprop(n, r int, s Schedule) lab.Key {
	return k.errors("backprop", n, r).With(s.settings(), "seed", k.seed)
}

// longer returns the key for the results of all schedules in the variable longer (penalty.go). longerTrial returns the
// key for the result of one of these schedules.
func (k keys) longer(n int) lab.Key { return k.on("table2-longer", n).With("seed", k.seed) }
func (k keys) longerTrial(n int, rate float64, epochs int) lab.Key {
	return k.on("table2-longer", n).With("rate", rate, "epochs", epochs, "seed", k.seed)
}
func (k keys) longerBasis(n int, s Schedule) lab.Key {
	return k.on("backprop-longer", n).With(s.settings(), "seed", k.seed)
}

// headKey and validationKey return the keys for what is stored next to a basis that was trained further: its
// classifier, and the classifier's error on the validation digits.
func headKey(basis lab.Key) lab.Key       { return basis.With("part", "head") }
func validationKey(basis lab.Key) lab.Key { return basis.With("part", "validation") }

func (k keys) schedules(n int) lab.Key { return lab.NewKey("schedules", k.coding, "digits", n) }

// validationError and testError return the keys for the validation error and the test error of the classifier c with
// the setting s, trained on n digits. The argument feature is the name of the set of features.
func (k keys) validationError(c *classifier, feature string, n int, s setting) lab.Key {
	return k.classifier(c, feature, lab.NewSettings("digits", n), s)
}

func (k keys) testError(c *classifier, feature string, n int, s setting) lab.Key {
	return k.classifier(c, feature, lab.NewSettings("part", "test", "digits", n), s)
}

func (k keys) classifier(c *classifier, feature string, on lab.Settings, s setting) lab.Key {
	return lab.NewKey("table3", "classifier", c.id, "features", feature, k.codingSize, on,
		c.axes[0], fmt.Sprintf("%.4g", s.first), c.axes[1], fmt.Sprintf("%.4g", s.second), "seed", k.seed)
}

// letters returns the key for results with the name what, measured on n letters, in draw number r. Results on codes also depend
// on the settings, so their keys include s. The keys of results on pixels or on principal components do not include s.
func (k keys) letters(what string, s Settings, n, r int) lab.Key {
	key := lab.NewKey("letters-"+what, "size", k.size, "letters", n, "draw", r)
	switch what {
	case "raw", "raw-128", "pca":
	default:
		key = key.With(s.settings())
	}
	return key.With("seed", k.seed)
}

// The first words of the keys for results of trials on letters.
const (
	letterSearch = "letters-lattice"
	letterTrial  = "letters-search"
	lettersWider = "letters-wider"
)

func letterTrialKey(t *Trial) lab.Key { return lab.NewKey(letterTrial, t.settings()) }

func widerTrialKey(t *widerTrial) lab.Key {
	return lab.NewKey(lettersWider, "box", t.Box, "atoms", t.Atoms, "basis-lambda", t.BasisLambda, "lambda", t.Lambda, "p", t.P)
}

// wordsKey returns the key for a basis that is learned from the words of d with the settings s, or for results on this
// basis. The argument what names the basis or the results.
func (s WordSettings) wordsKey(what string, d *Documents) lab.Key {
	base := "zero"
	if s.BaseRates {
		base = "rates"
	}
	return lab.NewKey(what, d.key, "atoms", s.Atoms, "lambda", s.Lambda, "p", s.P, "base", base, "rate", s.Rate, "passes", s.Passes)
}

// codesKey returns the key for the codes of the documents on a basis that was learned from their words. The argument
// basis is the key of this basis.
func codesKey(basis lab.Key) lab.Key { return basis.With("part", "codes") }

func (s WordSettings) ratedKey(d *Documents, rate float64, passes, fold int) lab.Key {
	return s.wordsKey("rated", d).With("rated-rate", rate, "rated-passes", passes, "fold", fold)
}

func (s WordSettings) predictedKey(d *Documents, fold int) lab.Key {
	return s.wordsKey("words-predicted", d).With("fold", fold)
}

// regressionKey returns the key for a regression on the counts of words.
func regressionKey(what string, d *Documents) lab.Key { return lab.NewKey(what, d.key) }

// topicsKey returns the key for results on K topics that are found in the documents d in the given number of passes.
func topicsKey(what string, d *Documents, K, passes int) lab.Key {
	return lab.NewKey(what, d.key, "topics", K, "passes", passes)
}

func (k keys) musicBasis(n int) lab.Key {
	return lab.NewKey("music-basis", "size", k.size, "atoms", n, "seed", k.seed)
}

func (k keys) musicTrial(t *Trial) lab.Key {
	return lab.NewKey("music-search", "size", k.size, "prior", t.Prior, "atoms", t.Atoms, "lambda", t.Lambda, "p", t.P, "seed", k.seed)
}

// music returns the key for the accuracy on a kind of features, with a classifier trained on draw r of n snippets.
func (k keys) music(feature string, s Settings, n, r int) lab.Key {
	return lab.NewKey("music-"+feature, "size", k.size, "snippets", n, "draw", r, "atoms", s.Atoms, "l1-lambda", s.L1Lambda, "kl-lambda", s.KLLambda, "p", s.P, "seed", k.seed)
}
