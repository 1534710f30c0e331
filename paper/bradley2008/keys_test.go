package bradley2008

import (
	"slices"
	"strings"
	"testing"

	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Every stage in the folder trained is one that the full size needs, by the settings in the index.
func TestKeptKeys(t *testing.T) {
	run, err := record.StartIn(t.TempDir(), Paper, record.Full, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := &Lab{Lab: lab.Lab{Run: run}, store: &lab.Store{Kept: "trained"}, features: map[string]*Features{}}
	l.digits = &Digits{Data: record.Real("MNIST")} // keys need no digits
	classifiers := append(l.classifiers(), *l.deepClassifier())
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
			return l.stabilityKey(strings.ToUpper(of("prior")), Settings{Atoms: of.Int("atoms"), BasisLambda: of.Float("basis-lambda"), L1Lambda: x, KLLambda: x, P: of.Float("p")}, of.Int("from"), of.Int("to"))
		case "figure1":
			return l.figure1Key(of("prior"), of.Float("lambda"), digits)
		case "backprop":
			k := l.backpropKey(digits, draw, l.schedule(digits))
			switch of("part") {
			case "head":
				return headKey(k)
			case "validation":
				return validationKey(k)
			}
			return k
		case "schedules":
			return l.schedulesKey(digits)
		case "table2-backprop":
			return l.backpropErrorsKey(digits, draw)
		case "table2-path":
			return l.pathKey(digits)
		case "table2-weaker":
			return l.weakerKey(digits)
		case "table2-longer":
			if of("rate") == "" {
				return l.longerKey(digits)
			}
			return l.longerTrialKey(digits, of.Float("rate"), of.Int("epochs"))
		case "table2-kl", "table2-kl-signed", "table2-l1", "table2-l1-parts":
			return l.errorsKey(what, digits, draw)
		case "table3":
			i := slices.IndexFunc(classifiers, func(c classifier) bool { return c.id == of("classifier") })
			if i < 0 {
				return ""
			}
			c := &classifiers[i]
			s := setting{of.Float(c.axes[0]), of.Float(c.axes[1])}
			if of("part") == "test" {
				return l.testErrorKey(c, of("features"), digits, s)
			}
			return l.validationErrorKey(c, of("features"), digits, s)
		case letterSearch, lettersWider:
			return lab.NewKey(what)
		case lettersBeyond:
			return letterTrialKey(what, trial(of))
		case "music-basis":
			return l.musicBasisKey(of.Int("atoms"))
		case "music-search":
			return l.musicTrialKey(trial(of))
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
			return (&transfer{l: l, s: settings(of)}).key(feature, of.Int("letters"), draw)
		}
		if feature, ok := strings.CutPrefix(what, "music-"); ok {
			return l.musicKey(feature, settings(of), of.Int("snippets"), draw)
		}
		return ""
	}
	if n := labtest.KeptKeys(t, "trained", rebuild); n < 1000 {
		t.Errorf("%d stages", n)
	}
}
