package s3c2011

import (
	"fmt"
	"slices"
	"strings"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/record"
)

// A CVLine is a candidate for C, with its accuracies on the five folds of the
// training images.
type CVLine struct {
	Features string
	C        float64
	Accuracy string
	Folds    string
	Chosen   string
}

// CrossValidation shows, for each kind of features, how C was chosen. It does not use test images.
func (l *Lab) CrossValidation() []CVLine {
	var out []CVLine
	for _, k := range l.shown(l.testKeys) {
		for _, c := range l.Choose(k) {
			var folds []string
			for _, a := range c.Folds {
				folds = append(folds, fmt.Sprintf("%.1f", 100*a))
			}
			out = append(out, CVLine{string(k), c.C, fmt.Sprintf("%.2f %%", 100*c.Accuracy), strings.Join(folds, ", "), c.Chosen})
		}
	}
	return out
}

// AccuraciesResult holds the trained support vector machines, and a sheet and a figure of their accuracies.
type AccuraciesResult struct {
	Machines []TrainedMachine // for features of S3C, of sparse coding (if available), and of the soft threshold
	record.Sheet
	Figure *figure.Figure
}

// machine returns the support vector machine for a kind of features, and reports whether there is one.
func (r *AccuraciesResult) machine(k Kind) (TrainedMachine, bool) {
	if i := slices.IndexFunc(r.Machines, func(m TrainedMachine) bool { return m.Kind == k }); i >= 0 {
		return r.Machines[i], true
	}
	return TrainedMachine{}, false
}

// accuracies holds the state of the experiment Accuracies while it runs.
type accuracies struct {
	*pipeline
	data record.Data
	out  *AccuraciesResult
}

// Accuracies trains and tests support vector machines with all labels, one machine for each kind of features.
func (l *Lab) Accuracies() *AccuraciesResult {
	a := &accuracies{&l.pipeline, l.Photographs().Data, &AccuraciesResult{}}
	for _, k := range a.shown(a.testKeys) {
		a.out.Machines = append(a.out.Machines, a.AllLabels(k))
	}
	a.published()
	a.claims()
	a.own()
	a.plot()
	a.sheet()
	return a.out
}

// published adds the rows that compare the accuracies with the paper's numbers.
func (a *accuracies) published() {
	quote := func(x float64) record.Value { return record.Published(x, "%", inText) }
	number := func(id, what string, k Kind, published float64, rule record.Rule) {
		row := record.Row{ID: id, What: what, Published: quote(published), Data: a.data, Figure: "all-labels"}
		m, ok := a.out.machine(k)
		switch {
		case !ok:
			row.Rule, row.Figure = record.NoData(a.notRun(k)), ""
		case !a.Full():
			row.Rule = record.NoData(a.smaller())
		default:
			row.Measured, row.Rule, row.Repeat = record.Number(100*m.Test, "%"), rule, 0.3
			row.Reason = fmt.Sprintf("C = %g, chosen by cross-validation; training accuracy %.2f %%", m.C, 100*m.Train)
			row.Look = lookAll(k, recipeOf(k))
		}
		a.Claim(row)
	}
	number("s3c-all", "test accuracy on CIFAR-10, all labels, S3C", S3C, publishedAll.S3C, record.AtLeastPublished(publishedAll.Interval).Partly(publishedAll.Interval))
	number("sparse-coding-all", "test accuracy on CIFAR-10, all labels, sparse coding", SparseCoding, publishedAll.SparseCoding, record.Within(publishedAll.Interval).Partly(publishedAll.Interval))
	a.Row(record.Row{ID: "ssrbm-all", What: "test accuracy on CIFAR-10, all labels, ssRBM", Published: quote(publishedAll.SSRBM),
		Rule: record.NoData("quoted by the paper; the ssRBM is not implemented here. It is undirected: learning it needs Markov chains that sample from the model without diverging, and settings that this paper does not give. Extracting features would be the smaller part, one product with W per patch"), Data: a.data})
}

// own adds our own rows. Each requires that the accuracy of a support vector machine is at least a minimum, which
// depends on the size and the kind of features. At smoke size, and on generated images, the minimum is chance.
func (a *accuracies) own() {
	for _, m := range a.out.Machines {
		rule := record.AtLeast(10)
		switch {
		case a.Size == record.Smoke || a.data.Generated:
		case !a.Full():
			rule = record.AtLeast(40)
		case m.Kind == S3C:
			rule = record.AtLeast(publishedAll.S3C - publishedAll.Interval)
		default:
			rule = record.AtLeast(70)
		}
		a.Row(record.Row{ID: "own-all-" + m.Kind.slug(), What: fmt.Sprintf("test accuracy, all labels available at this size, %s", m.Kind), Look: lookAll(m.Kind, recipeOf(m.Kind)),
			Measured: record.Number(100*m.Test, "%"), Rule: rule, Repeat: 0.5, Data: a.data, Figure: "all-labels",
			Reason: fmt.Sprintf("%d units; C = %g, chosen by cross-validation; training accuracy %.1f %%; chance is 10 %%", a.Settings().Units, m.C, 100*m.Train)})
	}
}

// lookAll returns the record.Look for a test accuracy with all labels. The support vector machine uses features of kind
// k, and recipe says how they were computed.
func lookAll(k Kind, recipe string) record.Look {
	return record.Look{At: string(k) + ", all labels, the test images", Recipe: recipe}
}

// recipeOf describes, for a record.Look, how the paper computes features of kind k.
func recipeOf(k Kind) string {
	if k == S3C {
		return paperRecipe.String()
	}
	return "the published one"
}

func (a *accuracies) sheet() {
	r := a.out
	ids := [][]string{{"s3c-all"}, {"sparse-coding-all"}, {"ssrbm-all"}}
	r.Sheet = record.Lay("Test accuracy with all labels, in percent", "features", []string{"all labels"}, []string{string(S3C), string(SparseCoding), "ssRBM"}, ids, a.Rows())
	if !a.Full() {
		r.StandInOf = fmt.Sprintf("measured with %d units; data: %v", a.Settings().Units, a.data)
		for _, m := range r.Machines {
			if i := map[Kind]int{S3C: 0, SparseCoding: 1}; m.Kind != SoftThreshold {
				r.Instead(i[m.Kind], 0, 100*m.Test)
			}
		}
	}
	if m, ok := r.machine(SoftThreshold); ok {
		r.Note = fmt.Sprintf("Soft threshold, for which the paper has no number with all labels: %.4g %%.", 100*m.Test)
	}
	a.Sheet("all-labels", r.Sheet)
}

// claims adds the rows on the paper's statements that compare these accuracies with each other.
func (a *accuracies) claims() {
	ours, _ := a.out.machine(S3C)
	equal := record.Row{ID: "s3c-like-sparse-coding", What: "test accuracy with all labels: S3C minus sparse coding",
		Published: record.Text("these results seem to indicate that S3C is roughly equivalent to sparse coding for this classification task", inText), Data: a.data}
	better := record.Row{ID: "s3c-above-ssrbm", What: "test accuracy with all labels: S3C minus the published ssRBM",
		Published: record.Text(fmt.Sprintf("S3C also outperforms ssRBMs, which achieve %.1f ± %.1f %%", publishedAll.SSRBM, publishedAll.Interval), inText), Data: a.data}
	if why := a.smaller(); why != "" {
		equal.Rule, better.Rule = record.NoData(why), record.NoData(why)
		a.Claim(equal)
		a.Claim(better)
		return
	}
	if theirs, ok := a.out.machine(SparseCoding); ok {
		// The difference of two numbers with intervals of ±0.9 has an interval of ±0.9·√2.
		equal.Measured, equal.Rule, equal.Repeat, equal.Figure = record.Number(100*(ours.Test-theirs.Test), "points"), record.Between(-1.3, 1.3).Partly(1.3), 0.4, "all-labels"
		equal.Reason = fmt.Sprintf("%.2f and %.2f %%; sparse coding here uses its \"natural encoding\", the same λ in learning and extraction; the published 78.8 %% may not", 100*ours.Test, 100*theirs.Test)
	} else {
		equal.Rule = record.NoData(a.notRun(SparseCoding))
	}
	// A difference within 1.3 points is "roughly equivalent" in the row above, so it does not count as a lead here.
	better.Measured, better.Rule, better.Repeat, better.Figure = record.Number(100*ours.Test-publishedAll.SSRBM, "points"), record.AtLeast(1.3).Partly(1.3), 0.3, "all-labels"
	better.Reason = fmt.Sprintf("%.2f %% here; in the comparison with sparse coding, a difference within 1.3 points counts as roughly equivalent", 100*ours.Test)
	a.Claim(equal)
	a.Claim(better)
}

func (a *accuracies) plot() {
	var names []string
	test, train := []float64{}, []float64{}
	for _, m := range a.out.Machines {
		names = append(names, string(m.Kind))
		test, train = append(test, 100*m.Test), append(train, 100*m.Train)
	}
	f := figure.Bars("All labels", names, []string{"test images", "training images"}, [][]float64{test, train})
	f.Y.Label.Text = "accuracy, %"
	f.Y.Min, f.Y.Max = 0, 100
	caption := fmt.Sprintf("Linear support vector machines trained on %d labeled images and tested on %d; C chosen by cross-validation.", a.out.Machines[0].TrainN, a.out.Machines[0].TestN)
	if a.Full() {
		f.Use(figure.Black).HLine(fmt.Sprintf("S3C, published: %.1f %%", publishedAll.S3C), publishedAll.S3C)
	}
	a.out.Figure = f
	a.Save("all-labels", caption+fmt.Sprintf(" Data: %v.", a.data), f)
}
