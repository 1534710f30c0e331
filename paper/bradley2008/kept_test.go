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
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

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
