package s3c2011

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// LearningCurveResult is the result of LearningCurve: figure 1 (right).
type LearningCurveResult struct {
	Curves []*l2svm.Curve // for the kinds of features that exist, in the order of Kinds
	Kinds  []Kind
	record.Sheet
	Figure *figure.Figure
}

// curve returns the curve of a kind, or nil if it was not computed.
func (r *LearningCurveResult) curve(k Kind) *l2svm.Curve {
	if i := slices.Index(r.Kinds, k); i >= 0 {
		return r.Curves[i]
	}
	return nil
}

// point returns the measured point of a kind for n labels of each class, or nil if it does not exist.
func (r *LearningCurveResult) point(k Kind, n int) *l2svm.CurvePoint {
	if c := r.curve(k); c != nil {
		if i := slices.IndexFunc(c.Points, func(p l2svm.CurvePoint) bool { return p.PerClass == n }); i >= 0 {
			return &c.Points[i]
		}
	}
	return nil
}

// A learningCurve holds the state of the experiment LearningCurve, figure 1 (right), while it runs.
type learningCurve struct {
	*pipeline
	data record.Data
	out  *LearningCurveResult
}

// LearningCurve measures figure 1 (right): the accuracy of machines that are trained with few labels of each class.
// Their features were learned without labels. The draws of labeled images are the same for all kinds of features.
func (l *Lab) LearningCurve() *LearningCurveResult {
	c := &learningCurve{&l.pipeline, l.Photographs().Data, &LearningCurveResult{Kinds: l.shown(l.fewKeys)}}
	for _, k := range c.out.Kinds {
		c.out.Curves = append(c.out.Curves, c.FewLabels(k))
	}
	order := c.quoted().Note()
	c.plot(order)
	c.rows()
	c.claimsOfFigure()
	c.claims()
	c.own()
	c.sheet(order)
	return c.out
}

// sheet lays the rows out as a table. order is the sentence from lab.Order.Note about the measured order of the kinds,
// or "".
func (c *learningCurve) sheet(order string) {
	r := c.out
	var lines, columns []string
	var ids [][]string
	for i, n := range PerClass {
		lines, ids = append(lines, fmt.Sprint(n)), append(ids, nil)
		for _, k := range compared {
			ids[i] = append(ids[i], fewID(k, n))
		}
	}
	for _, k := range compared {
		columns = append(columns, string(k))
	}
	r.Sheet = record.Lay("Figure 1 (right): test accuracy with few labels, in percent", "labels per class", columns, lines, ids, c.Rows())
	r.Note = strings.TrimSpace(order)
	if !c.Full() {
		r.StandInOf = fmt.Sprintf("measured with %d units; data: %v", c.Settings().Units, c.data)
		for i, n := range PerClass {
			for j, k := range compared {
				if p := r.point(k, n); p != nil {
					r.Instead(i, j, 100*p.Mean)
				}
			}
		}
	}
	c.Sheet("figure1-right", r.Sheet)
}

// quoted returns the order of the kinds of features in figure 1 (right), and the values measured here, for comparing
// their order with the figure's. In the figure, S3C is ahead of the other kinds at every number of labels.
func (c *learningCurve) quoted() lab.Order {
	o := lab.Order{Unit: "%", Data: c.data}
	for _, k := range compared {
		if c.out.curve(k) != nil {
			o.Names = append(o.Names, string(k))
		}
	}
	for _, p := range c.out.curve(S3C).Points {
		var v []float64
		for _, k := range compared {
			if q := c.out.point(k, p.PerClass); q != nil {
				v = append(v, 100*q.Mean)
			}
		}
		o.Values, o.Places = append(o.Values, v), append(o.Places, fmt.Sprintf("%d labels per class", p.PerClass))
	}
	return o
}

func fewID(k Kind, n int) string { return fmt.Sprintf("few-%s-%d", k.slug(), n) }

// rows adds the rows on the points of the figure.
func (c *learningCurve) rows() {
	for i, n := range PerClass {
		for _, k := range compared {
			v := publishedFew[k][i]
			row := record.Row{ID: fewID(k, n), What: fmt.Sprintf("test accuracy on CIFAR-10, %d labels per class, %s", n, k),
				Published: record.Published(v[0], "%", fmt.Sprintf("%s, %s, %d (±%.2g)", inFigure, k, n, v[1])), Data: c.data}
			p := c.out.point(k, n)
			switch {
			case !c.Full():
				row.Rule = record.NoData(c.smaller())
			case p == nil:
				row.Rule = record.NoData(c.notRun(k))
			default:
				row.Measured, row.Rule, row.Repeat, row.Figure = record.Number(100*p.Mean, "%"), curveRule(k, v[1], *p), 0.5, "learning-curve"
				row.Spread, row.SpreadOf = 100*p.SD, fmt.Sprintf("standard deviation over %d draws", len(p.Accuracy))
				row.Reason = fmt.Sprintf("C chosen in the draws: %v", p.C)
				if cs := c.fewCandidates(k, n); slices.Contains(p.C, cs[0]) || slices.Contains(p.C, cs[len(cs)-1]) {
					row.Reason += fmt.Sprintf(", from the grid %v; a wider grid might give slightly more", cs)
				}
				if k != S3C {
					row.Reason += "; a mean above the interval makes this rival stronger than in the paper"
				}
			}
			c.Claim(row)
		}
	}
}

// claimsOfFigure adds the rows on what the figure shows at each number of labels: that S3C's curve is above the curve
// of sparse coding, and by how much. Both methods have the same draws of labeled images, so the leads are paired.
func (c *learningCurve) claimsOfFigure() {
	for i, n := range PerClass {
		ours, theirs := publishedFew[S3C][i], publishedFew[SparseCoding][i]
		at := fmt.Sprintf("%s, %d labels of each class", inFigure, n)
		what := fmt.Sprintf("test accuracy on CIFAR-10, %d labels per class: S3C minus sparse coding, same draws of images", n)
		order := record.Row{ID: fmt.Sprintf("few-order-%d", n), What: what + " (is S3C ahead?)",
			Published: record.Text("[the curve of S3C is above that of sparse coding]", at), Data: c.data}
		gap := record.Row{ID: fmt.Sprintf("few-gap-%d", n), What: what,
			Published: record.Published(math.Round(100*(ours[0]-theirs[0]))/100, "points", fmt.Sprintf("%s (%.4g less %.4g)", at, ours[0], theirs[0])), Data: c.data}
		p, q := c.out.point(S3C, n), c.out.point(SparseCoding, n)
		switch {
		case !c.Full():
			order.Rule, gap.Rule = record.NoData(c.smaller()), record.NoData(c.smaller())
		case p == nil || q == nil:
			order.Rule, gap.Rule = record.NoData(c.notRun(SparseCoding)), record.NoData(c.notRun(SparseCoding))
		default:
			d := leadsOf(p.Accuracy, q.Accuracy)
			mean, sd := stat.MeanStdDev(d, nil)
			se := sd / math.Sqrt(float64(len(d)))
			// Each of the paper's two curves has error bars, and our lead has a standard error.
			within := math.Round(100*(math.Hypot(ours[1], theirs[1])+se)) / 100
			order.Rule, gap.Rule = record.AtLeast(2*se).Partly(2*se), record.Within(within).Partly(within)
			reason := fmt.Sprintf("%.2f and %.2f %%; the lead is %.1f times its standard error over the draws", 100*p.Mean, 100*q.Mean, mean/se)
			for _, row := range []*record.Row{&order, &gap} {
				row.Measured, row.Repeat, row.Figure, row.Reason = record.Number(mean, "points"), 0.5, "learning-curve", reason
				row.Spread, row.SpreadOf = se, fmt.Sprintf("standard error over %d paired draws of labeled images", len(d))
			}
		}
		c.Claim(order)
		c.Claim(gap)
	}
}

// leadsOf subtracts the accuracies b from the accuracies a, draw by draw, and returns the differences in percentage
// points.
func leadsOf(a, b []float64) (points []float64) {
	for j := range a {
		points = append(points, 100*(a[j]-b[j]))
	}
	return points
}

// A lead is the advantage of S3C over its best rival at one number of labels, in percentage points. The labeled images
// are drawn several times, and both methods get the same draws. mean is the mean lead over these draws, and se is its
// standard error.
type lead struct {
	rival    Kind
	mean, se float64
}

// leads returns S3C's lead at each number of labels. The rival is the kind with the best mean at that number.
func (r *LearningCurveResult) leads() []lead {
	var out []lead
	for _, p := range r.curve(S3C).Points {
		best := lead{mean: math.Inf(1)}
		for _, k := range r.Kinds {
			if k == S3C {
				continue
			}
			d := leadsOf(p.Accuracy, r.point(k, p.PerClass).Accuracy)
			m, sd := stat.MeanStdDev(d, nil)
			if m < best.mean {
				best = lead{k, m, sd / math.Sqrt(float64(len(d)))}
			}
		}
		out = append(out, best)
	}
	return out
}

// claims adds a row for each sentence of the paper about figure 1 (right). These rows compare S3C with the rivals for
// which there are results. If there are no results for sparse coding, the soft threshold is the only rival. A row then
// has a verdict only if results for sparse coding could not change the verdict.
func (c *learningCurve) claims() {
	r := c.out
	medium := record.Row{ID: "medium-most", What: "S3C's lead over the better of the two other methods: mean for 100, 200 and 400 labels per class minus the larger of the leads for 50 and for all labels",
		Published: record.Text("S3C is most advantageous for medium amounts of labeled data", inText), Data: c.data}
	regular := record.Row{ID: "flexible-regularization", What: fmt.Sprintf("S3C is ahead of the other methods with the fewest labels, and at most %g points behind with all labels", publishedAll.Interval),
		Published: record.Text("they improve generalization for smaller training sets yet do not cause underfitting on larger ones", inText), Data: c.data}
	ahead := record.Row{ID: "s3c-against-baseline", What: "test accuracy with all labels: S3C minus the better of the two other methods measured here",
		Published: record.Text("S3C features thus include an aspect of flexible regularization", inText), Data: c.data}
	why := c.smaller()
	if why == "" && !c.Long && (r.curve(SoftThreshold) == nil || !c.has(c.testKeys(SoftThreshold)...) || !c.has(c.testKeys(S3C)...)) {
		why = c.notRun(SoftThreshold)
	}
	if why != "" {
		for _, row := range []*record.Row{&medium, &regular, &ahead} {
			row.Rule = record.NoData(why)
			c.Claim(*row)
		}
		return
	}
	lead := r.leads()
	ours := c.AllLabels(S3C)
	test := math.Inf(1)
	said, rival := fmt.Sprintf("S3C %.2f %%", 100*ours.Train), S3C
	for _, k := range c.shown(c.testKeys) {
		if k == S3C {
			continue
		}
		m := c.AllLabels(k)
		if d := 100 * (ours.Test - m.Test); d < test {
			test, rival = d, k
		}
		said += fmt.Sprintf(", %s %.2f %%", k, 100*m.Train)
	}
	curve := ""
	for i, n := range PerClass {
		curve += fmt.Sprintf("%d: %.2f ± %.2f over %s, ", n, lead[i].mean, lead[i].se, lead[i].rival)
	}
	curve += fmt.Sprintf("all: %.2f over %s", test, rival)
	// If S3C is not ahead of the soft threshold, the verdict does not depend on sparse coding.
	missing := ""
	if r.curve(SparseCoding) == nil || !c.Long && !c.has(c.testKeys(SparseCoding)...) {
		missing = "sparse coding: " + c.notRun(SparseCoding)
	}
	claim := func(row record.Row, figure string, measured record.Value, rule record.Rule, decided bool, reason string) {
		row.Measured, row.Rule, row.Figure, row.Reason = measured, rule, figure, reason
		if measured.Kind == record.KindNumber {
			row.Repeat = 0.5
		}
		switch {
		case missing == "":
		case decided:
			row.Reason += "; " + missing
		default:
			row.Measured, row.Repeat, row.Figure, row.Reason = record.Value{}, 0, "", ""
			row.Rule = record.NoData("some results are missing; " + missing)
		}
		c.Claim(row)
	}
	leads := "leads in points, with standard errors over draws: " + curve
	claim(medium, "learning-curve", record.Number((lead[1].mean+lead[2].mean+lead[3].mean)/3-max(lead[0].mean, test), "points"), record.AtLeast(0), false, leads)
	holds := lead[0].mean > 0 && test >= -publishedAll.Interval
	claim(regular, "learning-curve", record.Bool(holds, fmt.Sprintf("lead over the better rival: %.2f ± %.2f points with %d labels per class, %.2f with all labels", lead[0].mean, lead[0].se, PerClass[0], test)), record.Holds(), !holds,
		leads+"; training accuracy with all labels: "+said)
	// The difference of two numbers with intervals of ±0.9 has an interval of ±0.9·√2.
	claim(ahead, "all-labels", record.Number(test, "points"), record.AtLeast(-1.3), test < -1.3, fmt.Sprintf("test accuracy of %s %.2f %%, of S3C %.2f %%: what helps with few labels costs accuracy with all labels. The paper's figure ends at 1000 labels per class and does not show this",
		rival, 100*ours.Test-test, 100*ours.Test))
}

// own adds our own checks. At all sizes, the accuracy of each kind of features with the fewest labels must be above
// chance. Except at smoke size and on generated images, S3C with few labels must be at least as good as the soft
// threshold. The draws are the same for both, so differences are computed in pairs.
func (c *learningCurve) own() {
	r := c.out
	for _, k := range r.Kinds {
		p := r.curve(k).Points[0]
		c.Row(record.Row{ID: "own-few-" + k.slug(), What: fmt.Sprintf("test accuracy, %d labels per class, %s", p.PerClass, k), Measured: record.Number(100*p.Mean, "%"), Rule: record.AtLeast(c.aboveChance(c.Settings().Test)),
			Spread: 100 * p.SD, SpreadOf: fmt.Sprintf("standard deviation over %d draws", len(p.Accuracy)), Repeat: 1, Data: c.data, Figure: "learning-curve", Reason: "chance is 10 %"})
	}
	if c.Size == record.Smoke || c.data.Generated {
		return // 40 units learned from few patches show no reliable order, nor do generated images
	}
	ours, theirs := r.curve(S3C), r.curve(SoftThreshold)
	var all []float64
	seen := ""
	for i, a := range ours.Points {
		b := theirs.Points[i]
		all = append(all, leadsOf(a.Accuracy, b.Accuracy)...)
		seen += fmt.Sprintf("%d labels per class: %.2f and %.2f %%; ", a.PerClass, 100*a.Mean, 100*b.Mean)
	}
	mean, sd := stat.MeanStdDev(all, nil)
	c.Row(record.Row{ID: "own-order", What: "test accuracy with few labels: S3C minus soft threshold, mean over numbers of labels and draws",
		Measured: record.Number(mean, "points"), Rule: record.AtLeast(0).Partly(1), Spread: sd, SpreadOf: fmt.Sprintf("standard deviation over %d paired draws of labeled images", len(all)),
		Repeat: 0.5, Data: c.data, Figure: "learning-curve",
		Reason: seen + fmt.Sprintf("standard error of the mean %.2f", sd/math.Sqrt(float64(len(all))))})
}

// aboveChance returns an accuracy in percent that is clearly better than chance: chance plus three standard errors. A
// classifier that guesses among ten classes on n images exceeds it with a probability of about 0.001. At smoke size
// aboveChance returns chance, because there are too few images.
func (s *sharedLab) aboveChance(n int) float64 {
	if s.Size == record.Smoke {
		return 10
	}
	return math.Round(10*(10+3*100*math.Sqrt(0.1*0.9/float64(n)))) / 10
}

// plot draws the measured values as lines with error bars, and the published values as dashed lines. order is the
// sentence from lab.Order.Note about the measured order of the kinds, or "".
func (c *learningCurve) plot(order string) {
	f := figure.New("Few labels", "labeled images per class", "test accuracy, %").LogX()
	for i, k := range compared {
		if have := c.out.curve(k); have != nil {
			x, y, e := curveXY(have)
			f.Use(i).ErrorBars(string(k), x, y, e)
			f.Use(i).Scatter("", x, y)
		}
	}
	published := ""
	if !c.data.Generated {
		published = " Dashed: published, figure 1 (right), 1600 units, with intervals."
		for i, k := range compared {
			name := ""
			if c.out.curve(k) == nil {
				name = string(k) + ", published"
			}
			x, y, e := curveXY(publishedCurve(k))
			lo, hi := make([]float64, len(y)), make([]float64, len(y))
			for j := range y {
				lo[j], hi[j] = y[j]-e[j], y[j]+e[j]
			}
			f.Use(i).Band(x, lo, hi)
			f.Use(i).Dashed(name, x, y)
		}
	}
	c.Save("learning-curve", fmt.Sprintf("Lines: measured, %d units, mean and standard deviation over %d draws.%s Data: %v.%s",
		c.Settings().Units, c.Settings().Draws, published, c.data, order), f)
	c.Rounded("learning-curve")
	c.out.Figure = f
}

// curveXY returns the points of a curve: x is the number of labels of each class, y the accuracy, and e its standard
// deviation or published interval. y and e are in percent.
func curveXY(c *l2svm.Curve) (x, y, e []float64) {
	for _, p := range c.Points {
		x, y, e = append(x, float64(p.PerClass)), append(y, 100*p.Mean), append(e, 100*p.SD)
	}
	return x, y, e
}
