package bradley2008

import (
	"slices"
	"strings"
	"testing"

	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// The full size needs every stage in the folder trained, according to the settings in the index.
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
