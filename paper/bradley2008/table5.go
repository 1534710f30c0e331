package bradley2008

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// letterAlphas are the strengths of the classifier's penalty to try for characters. The list called alphas is for 1000
// digits or more; letterAlphas is longer, and begins with stronger penalties.
var letterAlphas = []float64{3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6}

// chooseAlpha calls leastError with the penalties letterAlphas. It stops after two penalties in a row without
// improvement.
func chooseAlpha(ctx context.Context, W mat.Matrix, y []int, V mat.Matrix, yv []int, classes int) (alpha, validation float64, best *classify.Maxent) {
	// A gradient of g leaves the weights within about g/α of the minimum.
	return leastError(ctx, W, y, V, yv, classes, letterAlphas, 2, func(a float64) float64 { return max(1e-5, a/10) })
}

// An Accuracy is the share of test signals that are recognized, in percent.
type Accuracy struct {
	Test, Spread float64 // the mean over the draws, and the standard deviation
	Draws        int
	Each         []float64 // of each draw
}

// Table5Result holds table 5 as a sheet. It also holds the accuracies: a list for each kind of features, with one
// element for each of Sizes.
type Table5Result struct {
	Sizes                      []int
	Raw, PCA, L1, KL, Backprop []Accuracy
	Small, L1Parts, KLSigned   []Accuracy // controls: 128 pixels, L1 codes on [−B B], KL's w⁺ − w⁻
	Paired                     []Accuracy // KL on the training sets of Backprop
	SameWords, OtherWords      float64    // see letterLeak
	Settings                   []Settings // for each of Sizes
	record.Sheet
}

// A table5 measures table 5. It computes features on demand.
type table5 struct {
	*Lab
	c     *Characters
	s     Settings // for the number of training characters that is being measured
	coded map[string]*Features
	out   *Table5Result
}

func newTable5(l *Lab) *table5 {
	return &table5{Lab: l, c: l.Characters(), out: &Table5Result{}}
}

// use sets the settings for n training characters. It must be called before anything is measured for this n.
func (t *table5) use(n int) { t.set(t.LetterSettings(n)) }

// set does the same as the method use, but takes the settings as an argument.
func (t *table5) set(s Settings) {
	if s != t.s || t.coded == nil {
		t.s, t.coded = s, map[string]*Features{} // drop the last features, which use much memory
	}
}

func (t *table5) basis() *mat.Dense { return t.LearnBasis(t.s.Atoms, t.s.BasisLambda) }

func (t *table5) key(what string, n, r int) lab.Key {
	return keys{size: t.Size, seed: t.Seed}.letters(what, t.s, n, r)
}

// features returns the features with the given name. Codes that several features need are computed once.
func (t *table5) features(name string) *Features {
	if f, ok := t.coded[name]; ok {
		return f
	}
	each := func(f func(p *CharacterPart) *mat.Dense) *Features {
		return &Features{Name: name, Train: f(&t.c.Train), Validation: f(&t.c.Validation), Test: f(&t.c.Test)}
	}
	from := func(other string, f func(*mat.Dense) *mat.Dense) *Features {
		o := t.features(other)
		return &Features{Name: name, Train: f(o.Train), Validation: f(o.Validation), Test: f(o.Test)}
	}
	var f *Features
	switch name {
	case "raw":
		f = each(func(p *CharacterPart) *mat.Dense { return p.Pixels })
	case "raw-128":
		f = each(func(p *CharacterPart) *mat.Dense { return p.Small })
	case "pca":
		f = each(func(p *CharacterPart) *mat.Dense { return p.X })
	case "l1":
		B := t.basis()
		f = each(func(p *CharacterPart) *mat.Dense { return CodeL1(t.Context(), B, p.X, t.s.L1Lambda) })
	case "kl":
		B := t.basis()
		f = each(func(p *CharacterPart) *mat.Dense { return CodeKL(t.Context(), B, p.X, t.s.KLLambda, t.s.P) })
	case "l1-parts":
		f = from("l1", PartsOf)
	case "kl-signed":
		f = from("kl", Signed)
	}
	t.say("letters: features %s", name)
	t.coded[name] = f
	return f
}

// draw returns the indices of the characters in training set number r, which has n characters. Sets of the same size
// are disjoint.
func (t *table5) draw(n, r int) []int {
	if (r+1)*n > t.c.Train.N() {
		panic(fmt.Sprintf("bradley2008: no training set %d of %d characters in %d", r, n, t.c.Train.N()))
	}
	return ints(r*n, (r+1)*n)
}

// columns returns the given columns of W, as a copy.
func columns(W mat.Matrix, of []int) mat.Matrix { return classify.Rows(W.T(), of).T() }

// accuracy trains a classifier on draw r of n letters, on the features with the given name. It returns the test
// accuracy, the validation error, and alpha.
func (t *table5) accuracy(name string, n, r int) []float64 {
	return t.store.Numbers(t.key(name, n, r), func() []float64 {
		c, of := t.c, t.draw(n, r)
		f := t.features(name)
		return t.measure(name, columns(f.Train, of), classify.Labels(c.Train.Y, of), f)
	})
}

func (t *table5) measure(name string, W mat.Matrix, y []int, f *Features) []float64 {
	_, v := f.Validation.Dims()
	alpha, e, m := chooseAlpha(t.Context(), W, y, f.Validation, t.c.Validation.Y[:v], t.c.Classes)
	a := classify.Accuracy(m.Predict(f.Test.T()), t.c.Test.Y)
	t.say("letters: %s, %d: accuracy %.2f %%, on the validation part %.2f %%, alpha %v", name, len(y), 100*a, 100*(1-e), alpha)
	return []float64{100 * a, 100 * e, alpha}
}

// backprop trains the basis further on draw r of n letters. Like table5.accuracy, it returns the test accuracy, the
// validation error, and alpha. Training the basis uses the best penalty for the codes on the digits' basis.
func (t *table5) backprop(n, r int) []float64 {
	return t.store.Numbers(t.key("backprop", n, r), func() []float64 {
		c := t.c
		train := c.Train.part(t.draw(n, r))
		alpha := t.accuracy("kl", n, r)[2]
		// Use more epochs for fewer letters, because an epoch then has fewer steps.
		s := Schedule{Epochs: t.Pick(2, 3, 10), Rate: 1e-3, Alpha: alpha}
		if t.Full() && n <= 1000 {
			s.Epochs = 20
		}
		validation := c.Validation.First(t.Pick(100, 300, 2000))
		b := t.Specialise(t.key("backprop-basis", n, r), t.basis(), train, validation, Coding(t.s.KLLambda, t.s.P), s)
		code := func(X mat.Matrix) *mat.Dense { return CodeKL(t.Context(), b.B, X, t.s.KLLambda, t.s.P) }
		f := &Features{Train: code(train.X), Validation: code(validation.X), Test: code(c.Test.X)}
		out := t.measure("backprop", f.Train, train.Y, f)
		// Use the classifier that was retrained on the codes or the one that was trained with B, whichever is better
		// on the validation letters.
		if e := b.error(f.Validation, validation.Y); e < out[1] {
			out = []float64{100 - b.error(f.Test, c.Test.Y), e, alpha}
			t.say("letters: backprop, %d: the classifier trained with B: accuracy %.2f %%, on the validation part %.2f %%", n, out[0], 100-e)
		}
		return out
	})
}

// part returns the given characters, as a copy.
func (p *CharacterPart) part(of []int) *Part {
	return &Part{X: mat.DenseCopyOf(columns(p.X, of)), Y: classify.Labels(p.Y, of)}
}

// sizes returns the rows of table 5 that this run measures.
func (t *table5) sizes() []int { return LetterSizes[:t.Pick(1, 2, 5)] }

// draws returns the number of training sets of n letters. It also returns the number of these sets, counted from
// the first, on which back-propagation runs. With 100 letters the choice of letters matters most: on PCA,
// accuracies of training sets have a standard deviation of 2.4 points. The mean over five sets would have a
// standard error above table5Tolerance. The mean over fifty sets has a standard error of a third of a point.
func (t *table5) draws(n int) (all, backprop int) {
	switch {
	case n <= 100:
		return t.Pick(1, 1, 50), t.Pick(1, 1, 50)
	case n <= 500:
		return t.Pick(1, 1, 20), t.Pick(1, 1, 5)
	case n <= 1000:
		return t.Pick(1, 1, 5), t.Pick(1, 1, 5)
	case n <= 5000:
		return 3, 2
	}
	return 1, 1
}

// averageAccuracy returns the mean, over the training sets r, of the first element of accuracy(r).
func averageAccuracy(draws int, accuracy func(r int) []float64) Accuracy {
	a := make([]float64, draws)
	for r := range a {
		a[r] = accuracy(r)[0]
	}
	out := Accuracy{Test: stat.Mean(a, nil), Draws: draws, Each: a}
	if draws > 1 {
		out.Spread = stat.StdDev(a, nil)
	}
	return out
}

// Table5 measures the transfer from digits to letters of table 5: the accuracy of a maxent classifier on 784 pixels, on
// the result of the digits' PCA, on L1 and KL codes on the digits' basis, and on KL codes after back-propagation with
// the letters.
func (l *Lab) Table5() *Table5Result { return newTable5(l).run() }

func (t *table5) run() *Table5Result {
	c, out := t.c, t.out
	out.Sizes = t.sizes()
	for _, n := range out.Sizes {
		t.use(n)
		out.Settings = append(out.Settings, t.s)
		all, some := t.draws(n)
		add := func(to *[]Accuracy, name string) {
			*to = append(*to, averageAccuracy(all, func(r int) []float64 { return t.accuracy(name, n, r) }))
		}
		add(&out.Raw, "raw")
		add(&out.PCA, "pca")
		add(&out.L1, "l1")
		add(&out.KL, "kl")
		add(&out.L1Parts, "l1-parts")
		add(&out.KLSigned, "kl-signed")
		if c.Train.Small != nil {
			add(&out.Small, "raw-128")
		}
		out.Paired = append(out.Paired, averageAccuracy(some, func(r int) []float64 { return t.accuracy("kl", n, r) }))
		out.Backprop = append(out.Backprop, averageAccuracy(some, func(r int) []float64 { return t.backprop(n, r) }))
	}
	t.lookedEarlier()
	t.rows()
	t.claims()
	if c.Train.Fold != nil && t.Full() {
		t.letterLeak()
		t.widerRow()
	}
	t.plot()
	lines, ids := make([]string, len(LetterSizes)), make([][]string, len(LetterSizes))
	for k, n := range LetterSizes {
		lines[k] = fmt.Sprint(n)
		for _, id := range []string{"raw", "pca", "l1", "kl", "kl-backprop"} {
			ids[k] = append(ids[k], fmt.Sprintf("table5-%s-%d", id, n))
		}
	}
	out.Sheet = record.Lay("Table 5: accuracy on letters (%)", "training letters", []string{"Raw", "PCA", "L1", "KL", "KL+backprop"}, lines, ids, t.Rows())
	if c.Data.Generated {
		out.StandInOf = "measured on generated characters of 10 classes, in place of letters of 26 classes"
		for k := range out.Sizes {
			for i, a := range [][]Accuracy{out.Raw, out.PCA, out.L1, out.KL, out.Backprop} {
				out.Instead(k, i, a[k].Test)
			}
		}
	}
	out.Note = strings.TrimSpace(out.quotedOrder(c.Data).Note())
	t.Sheet("table5", out.Sheet)
	return out
}

// quotedOrder returns the order of the codes in the paper, together with the measured accuracies. The paper's order is
// the same in all lines of the table.
func (t *Table5Result) quotedOrder(data record.Data) lab.Order {
	o := lab.Order{Names: []string{"KL after back-propagation", "KL", "L1"}, Unit: "%", Data: data}
	for k, n := range t.Sizes {
		o.Values = append(o.Values, []float64{t.Backprop[k].Test, t.KL[k].Test, t.L1[k].Test})
		o.Places = append(o.Places, fmt.Sprintf("%d training letters", n))
	}
	return o
}

// table5Tolerance is the tolerance of an accuracy, in points. The choice of 100 training letters
// changes the accuracy by more than this, the choice of 20,000 by less.
const table5Tolerance = 1

// unreadReason says why row k of the table was not measured on letters. It returns "" if the row was measured.
func (t *table5) unreadReason(k int) string {
	switch {
	case k >= len(t.out.Sizes):
		return "needs the full size"
	case t.c.Data.Generated:
		return "the letters were not read: smoke size does not use them; other sizes need the letters and MNIST, in the folder that OVERCOMPLETE_DATA names or in the cache folder"
	}
	return ""
}

func (t *table5) rows() {
	for k, n := range LetterSizes {
		how := ""
		if k < len(t.out.Settings) {
			s := t.out.Settings[k]
			how = fmt.Sprintf("n = %d, basis λ = %v, L1 λ = %v, KL λ = %v, p = %v; these, α and the epoch are chosen on validation letters", s.Atoms, s.BasisLambda, s.L1Lambda, s.KLLambda, s.P)
			if t.c.Data.Generated {
				how = fmt.Sprintf("n = %d, basis λ = %v, L1 λ = %v, KL λ = %v, p = %v, all fixed; α and the epoch are chosen on validation characters", s.Atoms, s.BasisLambda, s.L1Lambda, s.KLLambda, s.P)
			}
		}
		for _, col := range []struct {
			id, what, name string
			published      [5]float64
			a              []Accuracy
		}{
			{"raw", "784 pixels", "Raw", published5.Raw, t.out.Raw},
			{"pca", "projections onto the digits' 180 axes", "PCA", published5.PCA, t.out.PCA},
			{"l1", "L1 codes", "L1", published5.L1, t.out.L1},
			{"kl", "KL codes", "KL", published5.KL, t.out.KL},
			{"kl-backprop", "KL codes after back-propagation", "KL+backprop", published5.Backprop, t.out.Backprop},
		} {
			row := record.Row{
				ID: fmt.Sprintf("table5-%s-%d", col.id, n), What: fmt.Sprintf("accuracy on letters: %s, %d training letters", col.what, n),
				Published: table(col.published[k], "%", fmt.Sprintf("table 5, %s, row %d", col.name, n)), Data: t.c.Data,
			}
			if why := t.unreadReason(k); why != "" {
				row.Rule = record.NoData(why)
			} else {
				a := col.a[k]
				row.Measured, row.Rule, row.Repeat, row.Figure = record.Number(a.Test, "%"), record.Within(table5Tolerance).Partly(table5Tolerance), 0.5, "table5"
				row.Reason = how + t.searchNote(col.id, n)
				row.Look = lookAtLetters(col.id, n, t.LetterSettings(n))
				if a.Draws > 1 {
					row.Spread, row.SpreadOf = a.Spread, fmt.Sprintf("standard deviation over %d training sets", a.Draws)
				}
			}
			t.Row(row)
			if t.c.Data.Generated && k < len(t.out.Sizes) {
				t.Row(record.Row{ID: fmt.Sprintf("table5-own-generated-%s-%d", col.id, n), What: fmt.Sprintf("accuracy on generated characters in place of letters: %s, %d training characters", col.what, n),
					Measured: record.Number(col.a[k].Test, "%"), Rule: record.AtLeast(100 / float64(t.c.Classes)), Repeat: 1, Data: t.c.Data, Figure: "table5", Reason: how})
			}
		}
	}
}

// lookAtLetters returns the record.Look of a column of table 5 with the settings s, trained on n letters and evaluated
// on the test letters. It returns the zero value for columns that have no settings to choose.
func lookAtLetters(column string, n int, s Settings) record.Look {
	lambda := fmt.Sprintf("λ = %v", s.L1Lambda)
	switch column {
	case "raw", "pca":
		return record.Look{}
	case "kl", "kl-backprop":
		lambda = fmt.Sprintf("λ = %v, p = %v", s.KLLambda, s.P)
	}
	return record.Look{At: fmt.Sprintf("%s, %d training letters, the test letters", column, n),
		Recipe: fmt.Sprintf("%d atoms, basis λ = %v, %s", s.Atoms, s.BasisLambda, lambda)}
}

// earlierLooks are the settings with which codes were evaluated on the test letters before LetterSearch had its present
// form: the settings that a narrower search chose first and, for 1000 letters, those that were the best when its grid
// was extended. The latter were not used for back-propagation.
var earlierLooks = []struct {
	name    string
	letters int
	Settings
	backprop bool
}{
	{"first", 100, Settings{Atoms: 128, BasisLambda: 0.3, L1Lambda: 0.2, KLLambda: 0.1, P: 0.01}, true},
	{"first", 500, Settings{Atoms: 256, BasisLambda: 0.3, L1Lambda: 0.4, KLLambda: 0.2, P: 0.01}, true},
	{"first", 1000, Settings{Atoms: 256, BasisLambda: 0.3, L1Lambda: 0.4, KLLambda: 0.1, P: 0.01}, true},
	{"second", 1000, Settings{Atoms: 512, BasisLambda: 0.3, L1Lambda: 0.4, KLLambda: 0.4, P: 0.01}, false},
	{"first", 5000, Settings{Atoms: 512, BasisLambda: 0.3, L1Lambda: 0.4, KLLambda: 0.2, P: 0.01}, true},
	{"first", 20000, Settings{Atoms: 512, BasisLambda: 0.3, L1Lambda: 0.4, KLLambda: 0.2, P: 0.01}, true},
}

// lookedEarlier adds rows for the settings in the variable earlierLooks: one for each column that was evaluated on the
// test letters with these settings. From these rows the report can tell how often the test letters were looked at, and
// in which order.
func (t *table5) lookedEarlier() {
	if t.c.Data.Generated || !t.Full() {
		return
	}
	for _, look := range earlierLooks {
		n, k := look.letters, slices.Index(LetterSizes[:], look.letters)
		t.set(look.Settings)
		all, some := t.draws(n)
		for _, col := range []struct {
			id, what string
			now      Accuracy
			draws    int
			measure  func(r int) []float64
		}{
			{"l1", "L1 codes", t.out.L1[k], all, func(r int) []float64 { return t.accuracy("l1", n, r) }},
			{"kl", "KL codes", t.out.KL[k], all, func(r int) []float64 { return t.accuracy("kl", n, r) }},
			{"kl-backprop", "KL codes after back-propagation", t.out.Backprop[k], some, func(r int) []float64 { return t.backprop(n, r) }},
		} {
			if col.id == "kl-backprop" && !look.backprop {
				continue
			}
			was := averageAccuracy(col.draws, col.measure)
			t.Row(record.Row{ID: fmt.Sprintf("table5-own-%s-%s-%d", look.name, col.id, n), What: fmt.Sprintf("accuracy on letters: %s, %d training letters; settings of the %s, narrower search minus settings of the table", col.what, n, look.name),
				Measured: record.Number(was.Test-col.now.Test, "points"), Rule: record.AtMost(0), Repeat: 0.5, Data: t.c.Data, Look: lookAtLetters(col.id, n, look.Settings),
				Reason: fmt.Sprintf("%.2f and %.2f %%; on the validation letters, the table's settings have the smaller sum of L1 and KL errors", was.Test, col.now.Test)})
		}
	}
}

// searchNote says how many settings LetterSearch tried for the codes of a column. It also gives the range of the
// accuracies of these settings on the validation letters. The range shows whether any setting comes close to the
// published cell. searchNote returns "" for columns without a search.
func (t *table5) searchNote(column string, n int) string {
	prior := map[string]string{"l1": "L1", "kl": "KL", "kl-backprop": "KL"}[column]
	lo, hi, count := 100., 0., 0
	for _, trial := range t.LetterSearch(n) {
		if trial.Prior == prior {
			lo, hi, count = min(lo, 100-trial.Error), max(hi, 100-trial.Error), count+1
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("; the %d settings of %s tried give validation accuracies of %.1f to %.1f %% with %d training letters", count, prior, lo, hi, min(n, searchedSizes[len(searchedSizes)-1]))
}

// separate is the rule for an order: a difference of at least two standard errors. A smaller difference with
// the right sign is PARTIAL.
var separate = record.AtLeast(2).Partly(2)

// difference returns a's advantage over b in points, the standard error of this advantage (see Errors.below), and a
// description of how this error was computed. It assumes 10,000 test letters.
func difference(a, b Accuracy) (points, error float64, how string) {
	points, error = Errors{Test: b.Test, Each: b.Each}.below(Errors{Test: a.Test, Each: a.Each}, 10000)
	if n := len(a.Each); n >= 5 {
		return points, error, fmt.Sprintf("paired over %d training sets", n)
	}
	return points, error, "computed for 10,000 test letters"
}

// claims adds rows for comparisons between the columns, and for the controls.
func (t *table5) claims() {
	for k, n := range LetterSizes {
		best := max(published5.Raw[k], published5.PCA[k])
		below := published5.L1[k] < best // true for 100 letters
		claims := []struct {
			id, what, published string
			// compared returns two accuracies and a description. The first accuracy should be the better one.
			compared func() (a, b Accuracy, seen string)
		}{
			{"l1", map[bool]string{false: "L1 codes are better than pixels and PCA", true: "L1 codes are no better than pixels and PCA"}[below],
				fmt.Sprintf("L1 %v, raw %v, PCA %v", published5.L1[k], published5.Raw[k], published5.PCA[k]),
				func() (Accuracy, Accuracy, string) {
					b := t.out.Raw[k]
					if t.out.PCA[k].Test > b.Test {
						b = t.out.PCA[k]
					}
					seen := fmt.Sprintf("L1 %.1f, raw %.1f, PCA %.1f", t.out.L1[k].Test, t.out.Raw[k].Test, t.out.PCA[k].Test)
					if below {
						return b, t.out.L1[k], seen
					}
					return t.out.L1[k], b, seen
				}},
			{"kl", "KL codes are better than L1 codes on the same basis", fmt.Sprintf("KL %v, L1 %v", published5.KL[k], published5.L1[k]),
				func() (Accuracy, Accuracy, string) {
					return t.out.KL[k], t.out.L1[k], fmt.Sprintf("KL %.1f, L1 %.1f", t.out.KL[k].Test, t.out.L1[k].Test)
				}},
			{"backprop", "back-propagation improves KL codes", fmt.Sprintf("KL+backprop %v, KL %v", published5.Backprop[k], published5.KL[k]),
				func() (Accuracy, Accuracy, string) {
					return t.out.Backprop[k], t.out.Paired[k], fmt.Sprintf("with back-propagation %.1f, without %.1f on the same letters", t.out.Backprop[k].Test, t.out.Paired[k].Test)
				}},
		}
		for _, q := range claims {
			row := record.Row{ID: fmt.Sprintf("table5-order-%s-%d", q.id, n), What: fmt.Sprintf("%s, %d training letters: margin in standard errors", q.what, n),
				Published: record.Text(q.published, fmt.Sprintf("table 5, row %d", n)), Data: t.c.Data}
			if why := t.unreadReason(k); why != "" {
				row.Rule = record.NoData(why)
			} else {
				a, b, seen := q.compared()
				gain, e, how := difference(a, b)
				row.Measured, row.Rule, row.Figure, row.Repeat = record.Number(gain/e, "standard errors"), separate, "table5", 0.5
				row.Reason = fmt.Sprintf("%s: %+.2f points with a standard error of %.2f, %s", seen, gain, e, how)
			}
			t.Row(row)
		}
	}
	gain := record.Row{ID: "table5-gain", What: "back-propagation gains more with 20,000 training letters than with 100: margin in standard errors",
		Published: record.Text("This improvement increases with the size of the training set", "section 6.3.2"), Data: t.c.Data}
	if why := t.unreadReason(4); why != "" {
		gain.Rule = record.NoData(why)
	} else {
		small, e, _ := difference(t.out.Backprop[0], t.out.Paired[0])
		large, f, _ := difference(t.out.Backprop[4], t.out.Paired[4])
		var all []string
		for k, n := range t.out.Sizes {
			g, e, _ := difference(t.out.Backprop[k], t.out.Paired[k])
			all = append(all, fmt.Sprintf("%d: %+.2f ± %.2f", n, g, e))
		}
		gain.Measured, gain.Rule, gain.Figure, gain.Repeat = record.Number((large-small)/math.Hypot(e, f), "standard errors"), separate, "table5", 0.5
		gain.Reason = "gain in points ± standard error: " + strings.Join(all, ", ")
	}
	t.Row(gain)
	for k, n := range t.out.Sizes {
		own := func(id, what, why string, a, b []Accuracy, rule record.Rule) {
			t.Row(record.Row{ID: fmt.Sprintf("table5-own-%s-%d", id, n), What: fmt.Sprintf("accuracy: %s, %d training characters", what, n),
				Measured: record.Number(a[k].Test-b[k].Test, "points"), Rule: rule, Repeat: 0.5, Data: t.c.Data,
				Reason: fmt.Sprintf("%.1f and %.1f %%: %s", a[k].Test, b[k].Test, why)})
		}
		control := "a control that separates the effect of the doubled basis from that of the prior"
		own("l1-parts", "L1 codes on [−B B] minus L1 codes on B", control, t.out.L1Parts, t.out.L1, record.AtLeast(0))
		own("kl-signed", "KL codes on [−B B] minus KL's signed codes", control, t.out.KL, t.out.KLSigned, record.AtLeast(0))
		if t.out.Small != nil {
			own("raw-128", "784 pixels of the enlarged letter minus the original 128 pixels", "the 784 are a linear function of the 128, so only the penalty makes a difference", t.out.Raw, t.out.Small, record.Between(-3, 3))
		}
		t.Row(record.Row{ID: fmt.Sprintf("table5-own-doubled-%d", n), What: fmt.Sprintf("KL is better than L1 when the classifier sees [w⁻; w⁺] of both, %d training characters", n),
			Measured: record.Bool(t.out.KL[k].Test > t.out.L1Parts[k].Test, fmt.Sprintf("KL %.1f, L1 %.1f; signed %.1f and %.1f", t.out.KL[k].Test, t.out.L1Parts[k].Test, t.out.KLSigned[k].Test, t.out.L1[k].Test)),
			Rule:     record.Holds(), Data: t.c.Data})
	}
}

// leakFolds is how many of the ten folds of words letterLeak keeps for testing.
const leakFolds = 3

// letterLeak measures how much a random split over letters leaks: letters of the same word and writer are in both the
// training part and the test part. It tests on letters from three of the ten folds of words. It compares a classifier
// trained on letters from all folds with one trained only on letters from the other seven folds, that is, on other
// words. All writers and all 55 texts are in all folds, so the leak through writers and texts remains.
func (t *table5) letterLeak() {
	c := t.c
	n := min(5000, c.Train.N()*6/10)
	t.use(n)
	var any, others, test []int
	for i, f := range c.Train.Fold {
		if len(any) < n {
			any = append(any, i)
		}
		if f >= leakFolds && len(others) < n {
			others = append(others, i)
		}
	}
	for i, f := range c.Test.Fold {
		if f < leakFolds {
			test = append(test, i)
		}
	}
	got := t.store.Numbers(t.key("leak", n, 0), func() []float64 {
		f := t.features("kl")
		accuracy := func(of []int) float64 {
			_, _, m := chooseAlpha(t.Context(), columns(f.Train, of), classify.Labels(c.Train.Y, of), f.Validation, c.Validation.Y, c.Classes)
			return 100 * classify.Accuracy(m.Predict(columns(f.Test, test).T()), classify.Labels(c.Test.Y, test))
		}
		return []float64{accuracy(any), accuracy(others)}
	})
	t.out.SameWords, t.out.OtherWords = got[0], got[1]
	t.Row(record.Row{ID: "table5-own-words", What: fmt.Sprintf("accuracy on KL codes: random split minus split by words, %d training letters, %d test letters from %d of 10 folds", len(others), len(test), leakFolds),
		Measured: record.Number(got[0]-got[1], "points"), Rule: record.Between(-3, 3), Repeat: 0.5, Data: c.Data,
		Reason: fmt.Sprintf("accuracy %.1f %% when training and test letters may come from the same words, %.1f %% when they may not; they share writers and texts in both cases", got[0], got[1])})
}

func (t *table5) plot() {
	x, published := toFloats(t.out.Sizes), toFloats(LetterSizes[:])
	f := figure.New("From digits to letters", "training letters", "accuracy, %").LogX()
	for i, s := range []struct {
		name  string
		paper [5]float64
		ours  []Accuracy
	}{{"L1", published5.L1, t.out.L1}, {"KL", published5.KL, t.out.KL}, {"KL, back-propagation", published5.Backprop, t.out.Backprop}, {"pixels", published5.Raw, t.out.Raw}, {"PCA", published5.PCA, t.out.PCA}} {
		y, e := make([]float64, len(x)), make([]float64, len(x))
		for k, a := range s.ours {
			y[k], e[k] = a.Test, a.Spread
		}
		f.Use(i).ErrorBars(s.name, x, y, e)
		f.Use(i).Scatter("", x, y)
		if !t.c.Data.Generated {
			f.Use(i).Dashed("", published, s.paper[:])
		}
	}
	t.Save("table5", fmt.Sprintf("A maxent classifier on letters, with basis and PCA axes learned from digits. %s Bars, where there are several training sets: their standard deviation. Data: %v.%s", dashedNote(t.c.Data, "Dashed: the paper's values."), t.c.Data, t.out.quotedOrder(t.c.Data).Note()),
		f)
}
