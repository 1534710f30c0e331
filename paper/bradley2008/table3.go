package bradley2008

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// A classifier is a classifier of table 3. A call train(X, y, s) fits it to the rows of X with the setting s.
// classifierTrainer.judge chooses the setting on the validation digits.
type classifier struct {
	id, name  string
	published [4]float64 // on PCA, L1, KL, KL+backprop
	grid      grid
	axes      [2]string // the names that the two numbers of a setting have in keys
	train     func(X mat.Matrix, y []int, s setting) (predictor, error)
	// words describes a setting in words.
	words func(s setting) string
}

type predictor interface{ Predict(X mat.Matrix) []int }

// A classifierTrainer trains the classifiers of tables 3 and 4.
type classifierTrainer struct{ trainer }

// classifiers returns the classifiers of table 3.
func (t classifierTrainer) classifiers() []classifier {
	one := []float64{0}
	if t.Full() {
		one = []float64{0, 1}
	}
	return []classifier{
		{id: "maxent", name: "maxent", published: [4]float64{7.49, 3.53, 2.21, 1.30}, grid: newGrid(&t.sharedState, axis{alphas, 10}, axis{}), axes: [2]string{"alpha", "none"},
			train: func(X mat.Matrix, y []int, s setting) (predictor, error) {
				return classify.FitMaxent(t.Context(), X, y, &classify.MaxentOptions{Alpha: s.first, Classes: 10, Tolerance: 1e-5, MaxIterations: 400})
			}, words: func(s setting) string { return fmt.Sprintf("α %.3g", s.first) }},
		{id: "network", name: "2-layer network", published: [4]float64{2.23, 2.13, 1.40, 1.36},
			grid: twoSteps(newGrid(&t.sharedState, axis{[]float64{1e-3, 1e-4, 1e-5}, 10}, axis{[][]float64{{32}, {100}, {300, 1000, 3000}}[t.Pick(0, 1, 2)], 0})), axes: [2]string{"alpha", "hidden"},
			train: func(X mat.Matrix, y []int, s setting) (predictor, error) {
				return classify.FitNetwork(t.Context(), X, y, &classify.NetworkOptions{Hidden: int(s.second), Alpha: s.first, Epochs: t.Pick(10, 20, 30), Classes: 10, Seed: t.Seed})
			}, words: func(s setting) string { return fmt.Sprintf("%v hidden units, α %.3g", s.second, s.first) }},
		{id: "linear-svm", name: "linear SVM", published: [4]float64{5.55, 3.95, 2.16, 1.34},
			grid: newGrid(&t.sharedState, axis{[]float64{0.003, 0.03, 0.3, 3}, 10}, axis{one, 0}), axes: [2]string{"c", "pairs"},
			train: func(X mat.Matrix, y []int, s setting) (predictor, error) {
				// Gap 1 means that the duality gap is not a stopping condition: Tolerance ends the training, as
				// in LIBLINEAR.
				o := &classify.LinearSVMOptions{C: s.first, Tolerance: 1e-2, Gap: 1, MaxIterations: 100, Seed: t.Seed}
				if s.second == 1 {
					return trainPairs(t.Context(), X, y, 10, o)
				}
				return classify.FitLinearSVM(t.Context(), X, y, o)
			}, words: func(s setting) string {
				return fmt.Sprintf("C %.3g, %s", s.first, [2]string{"one-vs-rest", "one-vs-one"}[int(s.second)])
			}},
		{id: "rbf-svm", name: "RBF SVM", published: [4]float64{1.54, 1.94, 1.28, 1.31},
			grid: newGrid(&t.sharedState, axis{[]float64{0.25, 0.5, 1, 2}, 2}, axis{[][]float64{{10}, {10}, {10, 1, 100}}[t.Pick(0, 1, 2)], 10}), axes: [2]string{"gamma", "c"},
			train: func(X mat.Matrix, y []int, s setting) (predictor, error) {
				// γ in units of 1/(mean squared distance of a point from the mean).
				return classify.FitRBFSVM(t.Context(), X, y, &classify.RBFSVMOptions{C: s.second, Gamma: s.first / energy(X)})
			}, words: func(s setting) string {
				return fmt.Sprintf("C %.3g, γ %.3g/(total variance of the points)", s.second, s.first)
			}},
	}
}

// twoSteps returns g without the third step of its search. It is for networks: one with 3000 hidden units takes
// minutes to train.
func twoSteps(g grid) grid {
	g.twoSteps = true
	return g
}

// energy returns the mean squared distance of the rows of X from their mean.
func energy(X mat.Matrix) float64 {
	n, d := X.Dims()
	var e float64
	column := make([]float64, n)
	for j := range d {
		mat.Col(column, j, X)
		e += stat.PopVariance(column, nil)
	}
	return e
}

// A judgment is the result of a classifier on features: its errors in percent, and the setting chosen
// on the validation part.
type judgment struct {
	test, validation float64
	setting          setting
	tried            int
	open             string // says at which ends of its axes the search stopped; "" if at none
}

// judge chooses the setting of a classifier by the validation error, and measures the test error with this setting.
// features() returns the features; their field Train must begin with draw 0 of the largest training set.
func (t classifierTrainer) judge(c classifier, feature string, features func() *Features) judgment {
	d, k, n := t.Digits(), keysOf(t.Lab), t.largest()
	found := c.grid.search(func(s setting) float64 {
		return t.store.Numbers(k.validationError(&c, feature, n, s), func() []float64 {
			e := 100 * classify.ErrorRate(t.fit(c, s, features()).Predict(features().Validation.T()), d.Validation.Y)
			t.say("%s on %s, %d digits, %s: validation error %.2f %%", c.name, feature, n, c.words(s), e)
			return []float64{e}
		})[0]
	})
	return judgment{t.testError(c, feature, found.best, features), found.least, found.best, found.tried, found.open}
}

// testError returns the test error, in percent, of a classifier with the setting s.
func (t classifierTrainer) testError(c classifier, feature string, s setting, features func() *Features) float64 {
	n := t.largest()
	return t.store.Numbers(keysOf(t.Lab).testError(&c, feature, n, s), func() []float64 {
		d := t.Digits()
		e := 100 * classify.ErrorRate(t.fit(c, s, features()).Predict(features().Test.T()), d.Test.Y)
		t.say("%s on %s, %d digits, %s: test error %.2f %%", c.name, feature, n, c.words(s), e)
		return []float64{e}
	})[0]
}

// fit trains a classifier with the setting s on draw 0 of the largest training set.
func (t classifierTrainer) fit(c classifier, s setting, f *Features) predictor {
	n := t.largest()
	train, _ := t.Digits().draw(n, 0)
	m, _ := f.Train.Dims()
	p, err := c.train(f.Train.Slice(0, m, 0, n).T(), train.Y, s)
	lab.Check(ended.Accept(err))
	return p
}

// Table3Result holds table 3 as a sheet and a figure, and the test errors in percent.
type Table3Result struct {
	Classifiers, Features []string
	Errors                [][]float64 // classifiers × features
	record.Sheet
	Figure *figure.Figure
}

// A table3 measures table 3 with n training digits.
type table3 struct {
	classifierTrainer
	n       int
	columns []table3Feature
	out     *Table3Result
}

// A table3Feature is a column of table 3.
type table3Feature struct {
	id, name string
	of       func() *Features
}

// Table3 measures four classifiers on four kinds of features.
func (l *Lab) Table3() *Table3Result {
	by, n := classifierTrainer{trainer{l}}, trainer{l}.largest()
	return (&table3{by, n, []table3Feature{
		{"pca", "PCA", l.PCAFeatures}, {"l1", "L1", l.L1Features}, {"kl", "KL", l.KLFeatures},
		{"backprop", "KL+backprop", func() *Features { return l.BackpropFeatures(n, 0) }},
	}, &Table3Result{}}).run()
}

func (t *table3) run() *Table3Result {
	order := lab.Order{Names: []string{"KL", "L1"}, Unit: "%", Less: true, Data: t.Digits().Data}
	for _, f := range t.columns {
		t.out.Features = append(t.out.Features, f.name)
	}
	for _, c := range t.classifiers() {
		e := t.line(c)
		t.out.Classifiers, t.out.Errors = append(t.out.Classifiers, c.name), append(t.out.Errors, e)
		order.Places, order.Values = t.out.Classifiers, append(order.Values, []float64{e[2], e[1]})
	}
	t.claims()
	t.sheet(order)
	t.plot(order)
	return t.out
}

// line measures one classifier on all kinds of features, and adds a row for each kind.
func (t *table3) line(c classifier) []float64 {
	d := t.Digits()
	row := make([]float64, len(t.columns))
	for k, f := range t.columns {
		how, look := "", record.Look{}
		switch {
		case c.id == "maxent" && f.id == "l1": // the same as in table 2
			row[k] = t.MaxentErrors("table2-l1", t.n, t.L1Features).Test
		case c.id == "maxent" && f.id == "kl":
			row[k] = t.MaxentErrors("table2-kl", t.n, t.KLFeatures).Test
		case c.id == "maxent" && f.id == "backprop":
			row[k] = t.BackpropErrors(t.n).Test
		default:
			j := t.judge(c, f.id, f.of)
			row[k], how, look = j.test, j.words(c, c.published[k], f.id == "pca" || f.id == "l1"), lookAtClassifier(c, f.name, t.n, j.setting)
			t.earlierLooks(c, f.id, f.name, j, f.of)
		}
		r := record.Row{
			ID: fmt.Sprintf("table3-%s-%s", c.id, f.id), What: fmt.Sprintf("test error, %s on %s", c.name, f.name),
			Published: table(c.published[k], "%", fmt.Sprintf("table 3, %s, column %s", c.name, f.name)), Data: d.Data, Figure: "table3",
			Rule: record.NoData("this size does not train on 50,000 digits of MNIST"),
		}
		switch {
		case c.id == "linear-svm":
			how += "; squared hinge loss; the paper does not say how it combines binary classifiers"
		case c.id == "maxent" && f.id != "pca":
			how = "same as in table 2, 50,000 training digits"
		}
		if t.Full() {
			r.Reason, r.Look = how, look
			r.Measured, r.Rule, r.Repeat = record.Number(row[k], "%"), errorRule(c.published[k]), 0.3
			if f.id == "pca" || f.id == "l1" {
				r.Rule = baselineRule(c.published[k])
			}
		}
		t.Row(r)
	}
	if t.Full() && c.id != "maxent" {
		t.control(c, row[2])
	}
	return row
}

// control adds a row that compares KL codes, whose test error is the argument kl, with L1 codes on the same doubled
// basis [−B B]. For maxent, table 2 has such a row.
func (t *table3) control(c classifier, kl float64) {
	const name = "L1 codes on [−B B]"
	j := t.judge(c, "l1-parts", t.L1Parts)
	t.Row(record.Row{ID: "table3-own-kl-by-l1-parts-" + c.id, What: fmt.Sprintf("ratio of the test error on KL codes to that on L1 codes, both on [−B B], %s", c.name),
		Measured: record.Number(kl/j.test, ""), Rule: record.AtMost(1), Repeat: 0.1, Data: t.Digits().Data, Figure: "table3", Look: lookAtClassifier(c, name, t.n, j.setting),
		Reason: fmt.Sprintf("test errors %.2f and %.2f %%; on %s: %s", kl, j.test, name, j.words(c, 0, false))})
}

// words returns a string that describes how the setting was chosen. If the search stopped at an end of an axis, the
// string says so. If baseline is true, the string also says whether the classifier makes clearly fewer errors than the
// published number.
func (j judgment) words(c classifier, published float64, baseline bool) string {
	out := fmt.Sprintf("%s, chosen from %d settings by validation error (%.2f %%)", c.words(j.setting), j.tried, j.validation)
	if (j.test < published-errorTolerance(published)) && baseline {
		out += "; fewer errors than published, so KL has less to gain"
	}
	if j.open != "" {
		out += "; the best value is still at an end of the range searched (" + j.open + ")"
	}
	return out
}

// lookAtClassifier returns the record.Look of the classifier c with the setting s, trained on n digits and evaluated
// on the test digits.
func lookAtClassifier(c classifier, features string, n int, s setting) record.Look {
	return record.Look{At: fmt.Sprintf("%s on %s, %d training digits, the test digits", c.name, features, n), Recipe: c.words(s)}
}

// firstChosen contains, for classifiers and features, the settings that a narrower search had chosen. This search used
// 10,000 training digits, or 5,000 for the Gaussian kernel. With these settings, the classifiers were first evaluated
// on the test digits.
var firstChosen = map[string]setting{
	"network-pca": {1e-3, 1000}, "network-l1": {1e-5, 1000}, "network-kl": {1e-7, 300}, "network-backprop": {1e-5, 1000}, "network-pixels": {1e-5, 800},
	"linear-svm-pca": {0.3, 1}, "linear-svm-l1": {0.3, 1}, "linear-svm-kl": {3, 1}, "linear-svm-backprop": {3, 0},
	"rbf-svm-pca": {1, 100}, "rbf-svm-l1": {1, 100}, "rbf-svm-kl": {0.5, 10}, "rbf-svm-backprop": {0.5, 10}, "rbf-svm-pixels": {1, 10},
	"deep-pixels": {1e-5, 0},
}

// secondChosen contains the settings that the present search chose before it had its third step, but only those that
// the third step changed.
var secondChosen = map[string]setting{"linear-svm-l1": {3, 1}}

// earlierLooks adds a row for each earlier search that chose a setting other than j.setting, the one in the table.
// Classifiers with these earlier settings were evaluated on the test digits before. From these rows the report can
// tell how often the test digits were looked at, and in which order.
func (t classifierTrainer) earlierLooks(c classifier, feature, name string, j judgment, features func() *Features) {
	for _, look := range []struct {
		id, of string
		chosen map[string]setting
	}{{"first", "the first, narrower search", firstChosen}, {"second", "the search without its third step", secondChosen}} {
		earlier, ok := look.chosen[c.id+"-"+feature]
		if !ok || earlier == j.setting || !t.Full() {
			continue
		}
		e := t.testError(c, feature, earlier, features)
		t.Row(record.Row{ID: fmt.Sprintf("table3-own-%s-%s-%s", look.id, c.id, feature), What: fmt.Sprintf("test error, %s on %s: setting of %s minus setting of the table", c.name, name, look.of),
			Measured: record.Number(e-j.test, "points"), Rule: record.AtLeast(0), Repeat: 0.3, Data: t.Digits().Data, Look: lookAtClassifier(c, name, t.largest(), earlier),
			Reason: fmt.Sprintf("%.2f and %.2f %%, with %s and %s", e, j.test, c.words(earlier), c.words(j.setting))})
	}
}

func (t *table3) claims() {
	d := t.Digits()
	consistent, seen := true, []string{}
	for i, name := range t.out.Classifiers {
		row := t.out.Errors[i]
		consistent = consistent && row[2] < row[1]
		seen = append(seen, fmt.Sprintf("%s: %.2f and %.2f %%", name, row[2], row[1]))
	}
	t.Claim(record.Row{ID: "table3-kl-below-l1", What: fmt.Sprintf("KL codes make fewer errors than L1 codes with every classifier, %d training digits", t.n),
		Published: record.Text("this increase in performance was consistent across a diverse set of classification algorithms", "section 6.3.1"),
		Measured:  record.Bool(consistent, strings.Join(seen, "; ")), Rule: record.Holds(), Data: d.Data, Figure: "table3"})
	e := t.out.Errors
	linear, other := max(e[0][3], e[2][3]), min(e[1][3], e[3][3])
	t.Claim(record.Row{ID: "table3-linear-as-good", What: "test error after back-propagation: worse linear classifier minus better nonlinear classifier, on the same codes",
		Published: record.Text("back-propagation allows linear classifiers to do as well as more complicated non-linear classifiers", "table 3"),
		Measured:  record.Number(linear-other, "points"), Rule: record.AtMost(0.2), Repeat: 0.2, Data: d.Data, Figure: "table3",
		Reason: fmt.Sprintf("%.2f against %.2f %%; the paper's cells differ by 0.03; with 10,000 digits the standard error is 0.11", linear, other)})
}

func (t *table3) sheet(order lab.Order) {
	ids := make([][]string, len(t.out.Classifiers))
	for i, c := range t.classifiers() {
		for _, f := range t.columns {
			ids[i] = append(ids[i], fmt.Sprintf("table3-%s-%s", c.id, f.id))
		}
	}
	t.out.Sheet = record.Lay("Table 3: misclassified digits (%)", "classifier", t.out.Features, t.out.Classifiers, ids, t.Rows())
	t.out.Note = errorNote + order.Note()
	if !t.Full() {
		t.out.StandInOf = fmt.Sprintf("measured with %d training digits in place of 50,000; data: %v", t.n, t.Digits().Data)
		for i, row := range t.out.Errors {
			for k, e := range row {
				t.out.Instead(i, k, e)
			}
		}
	}
	t.Sheet("table3", t.out.Sheet)
}

func (t *table3) plot(order lab.Order) {
	values := make([][]float64, len(t.out.Features))
	for k := range t.out.Features {
		for i := range t.out.Classifiers {
			values[k] = append(values[k], t.out.Errors[i][k])
		}
	}
	t.out.Figure = figure.Bars("Four classifiers on four kinds of features", t.out.Classifiers, t.out.Features, values)
	t.Save("table3", fmt.Sprintf("Test error in percent, %d training digits. Data: %v.%s", t.n, t.Digits().Data, order.Note()),
		t.out.Figure)
}
