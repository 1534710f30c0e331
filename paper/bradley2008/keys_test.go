package bradley2008

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// The full size needs every stage in the folder trained, according to the stages' keys.
func TestKeptKeys(t *testing.T) {
	run, err := record.StartIn(t.TempDir(), Paper, record.Full, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := &Lab{sharedState: sharedState{lab.Lab{Run: run}, &lab.Store{Kept: "trained"}}, features: map[string]*Features{}}
	l.digits = &Digits{Data: record.Real("MNIST")} // keys need no digits
	k, schedules := keysOf(l), scheduler{trainer{l}}
	others := table4{classifierTrainer{trainer{l}}}
	classifiers := append(others.classifiers(), *others.deep())
	documents := func(of labtest.Setting) *Documents {
		return &Documents{key: lab.NewSettings("data", "reviews", "documents", of.Int("documents"), "words", of.Int("words"))}
	}
	words := func(of labtest.Setting) WordSettings {
		return WordSettings{Atoms: of.Int("atoms"), Lambda: of.Float("lambda"), P: of.Float("p"), BaseRates: of("base") == "rates", Rate: of.Float("rate"), Passes: of.Int("passes")}
	}
	settings := func(of labtest.Setting) Settings {
		return Settings{Atoms: of.Int("atoms"), BasisLambda: of.Float("basis-lambda"), L1Lambda: of.Float("l1-lambda"), KLLambda: of.Float("kl-lambda"), P: of.Float("p")}
	}
	trial := func(of labtest.Setting) *Trial {
		return &Trial{Prior: of("prior"), Atoms: of.Int("atoms"), BasisLambda: of.Float("basis-lambda"), Lambda: of.Float("lambda"), P: of.Float("p")}
	}
	rebuild := func(what string, of labtest.Setting) lab.Key {
		digits, draw := of.Int("digits"), of.Int("draw")
		switch what {
		case "axes":
			return axesKey(mnistDigits)
		case "search":
			return searchKey
		case "basis-l1":
			return basisKey(mnistDigits, of.Int("atoms"), of.Float("lambda"))
		case "stability":
			x := of.Float("lambda")
			return k.stability(strings.ToUpper(of("prior")), Settings{Atoms: of.Int("atoms"), BasisLambda: of.Float("basis-lambda"), L1Lambda: x, KLLambda: x, P: of.Float("p")}, of.Int("from"), of.Int("to"))
		case "figure1":
			return k.figure1(of("prior"), of.Float("lambda"), digits)
		case "backprop":
			key := k.backprop(digits, draw, schedules.schedule(digits))
			switch of("part") {
			case "head":
				return headKey(key)
			case "validation":
				return validationKey(key)
			}
			return key
		case "schedules":
			return k.schedules(digits)
		case "table2-backprop":
			return k.backpropErrors(digits, draw, schedules.schedule(digits), len(schedules.penalties(digits)))
		case "table2-path", "table2-weaker":
			return k.on(what, digits)
		case "table2-longer":
			if of("rate") == "" {
				return k.longer(digits)
			}
			return k.longerTrial(digits, of.Float("rate"), of.Int("epochs"))
		case "table2-kl", "table2-kl-signed", "table2-l1", "table2-l1-parts":
			return k.errors(what, digits, draw)
		case "table3":
			i := slices.IndexFunc(classifiers, func(c classifier) bool { return c.id == of("classifier") })
			if i < 0 {
				return ""
			}
			c := &classifiers[i]
			s := setting{of.Float(c.axes[0]), of.Float(c.axes[1])}
			if of("part") == "test" {
				return k.testError(c, of("features"), digits, s)
			}
			return k.validationError(c, of("features"), digits, s)
		case letterSearch, lettersWider:
			return lab.NewKey(what)
		case "music-basis":
			return k.musicBasis(of.Int("atoms"))
		case "music-search":
			return k.musicTrial(trial(of))
		case "rated":
			return words(of).ratedKey(documents(of), of.Float("rated-rate"), of.Int("rated-passes"), of.Int("fold"))
		case "words-inner":
			return words(of).wordsKey(what, documents(of))
		case "words-predicted":
			return words(of).predictedKey(documents(of), of.Int("fold"))
		case "words-lasso", "words-ridge":
			return regressionKey(what, documents(of))
		case "topics-predicted", "topics-supervised-refit":
			return topicsKey(what, documents(of), of.Int("topics"), of.Int("passes"))
		}
		if feature, ok := strings.CutPrefix(what, "letters-"); ok {
			return k.letters(feature, settings(of), of.Int("letters"), draw)
		}
		if feature, ok := strings.CutPrefix(what, "music-"); ok {
			return k.music(feature, settings(of), of.Int("snippets"), draw)
		}
		return ""
	}
	if n := labtest.KeptKeys(t, "trained", rebuild); n < 1000 {
		t.Errorf("%d stages", n)
	}
}

// KeptVariable requests that one stage of each table be measured again and compared with the folder
// trained. This takes some minutes, on MNIST, the letters and the reviews.
const KeptVariable = "OVERCOMPLETE_KEPT"

// The stages in the folder trained are what the code computes today. The test reads bases, the search and the axes,
// and computes the numbers that follow from them.
func TestKept(t *testing.T) {
	if os.Getenv(KeptVariable) == "" {
		t.Skip("takes some minutes; set " + KeptVariable + "=1 to run it")
	}
	gemm.Use()
	run, err := record.StartIn(t.TempDir(), Paper, record.Full, 1)
	if err != nil {
		t.Fatal(err)
	}
	kept := &lab.Store{Kept: "trained"}
	keys, err := lab.Kept("trained")
	if err != nil {
		t.Fatal(err)
	}
	given := t.TempDir()
	for _, k := range keys {
		if what := k.Name(); !slices.ContainsFunc([]string{"axes-", "basis-", "search-", "letters-search", "schedules-", "words-inner-"}, func(begin string) bool { return strings.HasPrefix(what, begin) }) {
			continue
		}
		if err := lab.WriteMatrix(filepath.Join(given, k.Name()+".mat"), kept.Matrix(k, nil)); err != nil {
			t.Fatal(err)
		}
	}
	l := &Lab{sharedState: sharedState{lab.Lab{Run: run}, &lab.Store{Kept: given}}, features: map[string]*Features{}}
	compare := func(what string, key lab.Key, within float64, fresh []float64) {
		t.Helper()
		if !kept.Has(key) {
			t.Errorf("%s: %s is not among what is kept", what, key)
			return
		}
		old := kept.Matrix(key, func() *mat.Dense { panic("not reached") })
		off := 0.
		for i, v := range fresh {
			off = max(off, math.Abs(v-old.RawMatrix().Data[i]))
		}
		t.Logf("%s: %d numbers of %s, the first %v, off by at most %.3g", what, len(fresh), key.Name(), fresh[0], off)
		if !(off <= within) {
			t.Errorf("%s: %s is off by %v, more than %v", what, key.Name(), off, within)
		}
	}
	s, k, by := l.Settings(), keysOf(l), trainer{l}
	for _, prior := range []string{"L1", "KL"} {
		m := stabilityMeter{l}.measure(prior, s, 0, 500)
		key := k.stability(prior, s, 0, 500)
		for k, c := range disturbances {
			off := 0.
			old := kept.Matrix(key, func() *mat.Dense { panic("not reached") })
			for i, v := range m.RawRowView(k) {
				off += (v - old.At(k, i)) / 500
			}
			t.Logf("table 1, %s, %s: the mean of 500 digits is off by %.2g", prior, c.name, off)
			if math.Abs(off) > 1e-3 {
				t.Errorf("table 1, %s, %s: off by %v", prior, c.name, off)
			}
		}
	}
	// Error rates on 10,000 digits: 0.1 points are ten digits.
	compare("table 2", k.errors("table2-l1", 1000, 0), 0.1, by.maxentErrors("table2-l1", 1000, 0, l.L1Features)[:1])
	compare("table 2", k.errors("table2-kl", 1000, 0), 0.1, by.maxentErrors("table2-kl", 1000, 0, l.KLFeatures)[:1])
	others := table4{classifierTrainer{trainer{l}}}
	svm := *others.classifier("linear-svm", nil)
	e := others.judge(svm, "pca", l.PCAFeatures)
	at := k.testError(&svm, "pca", 50000, e.setting)
	compare("tables 3 and 4", at, 0.1, []float64{e.test})
	tr := newTable5(l)
	tr.use(100)
	for _, what := range []string{"pca", "l1", "kl"} {
		compare("table 5", tr.key(what, 100, 0), 0.1, tr.accuracy(what, 100, 0)[:1])
	}
	d := l.Documents()
	r := d.score(func(f int) []float64 { _, p := d.ridgeInside(l.Context(), d.X, f); return p })
	compare("table 6", regressionKey("words-ridge", d), 1e-3, []float64{r.pr2})
}
