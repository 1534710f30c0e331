package s3c2011

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// LearningCurveResult is the result of LearningCurve: figure 1 (right).
type LearningCurveResult struct {
	Curves []*l2svm.Curve // of the kinds of features that were made, in the order of Kinds
	Kinds  []Kind
	record.Sheet
	Figure *figure.Figure
}

// of is the curve of a kind, nil if it was not made.
func (r *LearningCurveResult) of(k Kind) *l2svm.Curve {
	for i, have := range r.Kinds {
		if have == k {
			return r.Curves[i]
		}
	}
	return nil
}

// point is the measured point of a kind for n labels of each class, nil if there is none.
func (r *LearningCurveResult) point(k Kind, n int) *l2svm.CurvePoint {
	if c := r.of(k); c != nil {
		for i := range c.Points {
			if c.Points[i].PerClass == n {
				return &c.Points[i]
			}
		}
	}
	return nil
}

// LearningCurve measures figure 1 (right): the accuracy of machines trained on few labels
// of each class, on features that were learned without labels. The draws of labelled
// images are the same for all kinds of features.
func (l *Lab) LearningCurve() *LearningCurveResult {
	r := &LearningCurveResult{Kinds: l.shown(l.fewKeys)}
	for _, k := range r.Kinds {
		r.Curves = append(r.Curves, l.FewLabels(k))
	}
	order := l.curveQuoted(r).Note()
	r.Figure = l.curveFigure(r, order)
	l.curveRows(r)
	l.curveClaims(r)
	l.curveOrder(r)
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
	r.Sheet = record.Lay("Figure 1 (right): test accuracy with few labels, in per cent", "labels of each class", columns, lines, ids, l.Rows())
	r.Note = strings.TrimSpace(order)
	if !l.Full() {
		r.StandInOf = fmt.Sprintf("measured with %d units; data: %v", l.Settings().Units, l.Photographs().Data)
		for i, n := range PerClass {
			for j, k := range compared {
				if p := r.point(k, n); p != nil {
					r.Instead(i, j, 100*p.Mean)
				}
			}
		}
	}
	l.Sheet("figure1-right", r.Sheet)
	return r
}

// curveQuoted is the order of figure 1 (right), S3C before the others at every number of
// labels, with what was measured.
func (l *Lab) curveQuoted(r *LearningCurveResult) lab.Order {
	o := lab.Order{Unit: "%", Data: l.Photographs().Data}
	for _, k := range compared {
		if r.of(k) != nil {
			o.Names = append(o.Names, string(k))
		}
	}
	for _, p := range r.of(S3C).Points {
		var v []float64
		for _, k := range compared {
			if q := r.point(k, p.PerClass); q != nil {
				v = append(v, 100*q.Mean)
			}
		}
		o.Values, o.Places = append(o.Values, v), append(o.Places, fmt.Sprintf("%d labels of each class", p.PerClass))
	}
	return o
}

func fewID(k Kind, n int) string { return fmt.Sprintf("few-%s-%d", k.slug(), n) }

func (l *Lab) curveRows(r *LearningCurveResult) {
	data := l.Photographs().Data
	for i, n := range PerClass {
		for _, k := range compared {
			v := publishedFew[k][i]
			row := record.Row{ID: fewID(k, n), What: fmt.Sprintf("test accuracy on CIFAR-10, %d labels of each class, %s", n, k),
				Published: record.Published(v[0], "%", fmt.Sprintf("%s, %s, %d (±%.2g)", inFigure, k, n, v[1])), Data: data}
			p := r.point(k, n)
			switch {
			case !l.Full():
				row.Rule = record.NoData(l.smaller())
			case p == nil:
				row.Rule = record.NoData(l.notRun(k))
			default:
				row.Measured, row.Rule, row.Repeat, row.Figure = record.Number(100*p.Mean, "%"), curveRule(k, v[1], *p), 0.5, "learning-curve"
				row.Spread, row.SpreadOf = 100*p.SD, fmt.Sprintf("standard deviation over %d draws", len(p.Accuracy))
				row.Reason = fmt.Sprintf("C of the draws: %v", p.C)
				if k != S3C {
					row.Reason += "; a mean above the interval is a stronger rival for S3C than the paper's"
				}
			}
			l.Claim(row)
		}
	}
}

// curveClaims has the two sentences about figure 1 (right).
func (l *Lab) curveClaims(r *LearningCurveResult) {
	data := l.Photographs().Data
	medium := record.Row{ID: "medium-most", What: "S3C less the better of the two others is largest at a medium number of labels",
		Published: record.Text("S3C is most advantageous for medium amounts of labeled data", inText), Data: data}
	regular := record.Row{ID: "flexible-regularization", What: "S3C is ahead of the others with the fewest labels, and with all of them no more than 0.9 points behind",
		Published: record.Text("they improve generalization for smaller training sets yet do not cause underfitting on larger ones", inText), Data: data}
	why := l.smaller()
	if why == "" && (r.of(SparseCoding) == nil || !l.Long && !l.has(l.testKeys(SparseCoding))) {
		why = "needs sparse coding, " + l.notRun(SparseCoding)
	}
	if why != "" {
		medium.Rule, regular.Rule = record.NoData(why), record.NoData(why)
	} else {
		var gain []float64
		best := 0
		for i, n := range PerClass {
			gain = append(gain, 100*(r.point(S3C, n).Mean-max(r.point(SparseCoding, n).Mean, r.point(SoftThreshold, n).Mean)))
			if gain[i] > gain[best] {
				best = i
			}
		}
		a, b, c := l.AllLabels(S3C), l.AllLabels(SparseCoding), l.AllLabels(SoftThreshold)
		all := 100 * (a.Test - max(b.Test, c.Test))
		medium.Measured, medium.Rule, medium.Figure = record.Bool(best > 0 && gain[best] > all, fmt.Sprintf("largest at %d of each class; %s points at %v, %.1f with all labels", PerClass[best], points(gain), PerClass, all)), record.Holds(), "learning-curve"
		regular.Measured, regular.Rule, regular.Figure = record.Bool(gain[0] > 0 && all >= -publishedAll.Interval, fmt.Sprintf("%.1f points ahead of the better one with %d of each class, %.1f with all labels", gain[0], PerClass[0], all)), record.Holds(), "learning-curve"
		regular.Reason = fmt.Sprintf("training images, all labels: S3C %.1f %%, sparse coding %.1f %%, soft threshold %.1f %%", 100*a.Train, 100*b.Train, 100*c.Train)
	}
	l.Claim(medium)
	l.Claim(regular)
}

func points(x []float64) string {
	s := ""
	for i, v := range x {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("%.1f", v)
	}
	return s
}

// curveOrder is our own check at all sizes: S3C is at least as good as the soft threshold
// with few labels. The draws are the same for both, so differences are taken in pairs.
func (l *Lab) curveOrder(r *LearningCurveResult) {
	data := l.Photographs().Data
	for _, k := range r.Kinds {
		c := r.of(k)
		p := c.Points[0]
		l.Row(record.Row{ID: "own-few-" + k.slug(), What: fmt.Sprintf("test accuracy, %d labels of each class, %s", p.PerClass, k), Measured: record.Number(100*p.Mean, "%"), Rule: record.AtLeast(10),
			Spread: 100 * p.SD, SpreadOf: fmt.Sprintf("standard deviation over %d draws", len(p.Accuracy)), Repeat: 1, Data: data, Figure: "learning-curve", Reason: "chance is 10 %"})
	}
	if l.Size == record.Smoke || data.Generated {
		return // 40 units learned from few patches, or no photographs, have no order to show
	}
	ours, theirs := r.of(S3C), r.of(SoftThreshold)
	var all []float64
	seen := ""
	for i, a := range ours.Points {
		b := theirs.Points[i]
		for j := range a.Accuracy {
			all = append(all, 100*(a.Accuracy[j]-b.Accuracy[j]))
		}
		seen += fmt.Sprintf("%d of each class: %.2f and %.2f %%; ", a.PerClass, 100*a.Mean, 100*b.Mean)
	}
	mean, sd := stat.MeanStdDev(all, nil)
	l.Row(record.Row{ID: "own-order", What: "test accuracy with few labels: S3C less soft threshold, mean over numbers of labels and draws",
		Measured: record.Number(mean, "points"), Rule: record.AtLeast(0).Partly(1), Spread: sd, SpreadOf: fmt.Sprintf("standard deviation over %d pairs of the same labelled images", len(all)),
		Repeat: 0.5, Data: data, Figure: "learning-curve",
		Reason: seen + fmt.Sprintf("the mean's standard error is %.2f", sd/math.Sqrt(float64(len(all))))})
}

// curveFigure draws what was measured as lines with bars, what was published dashed.
// order says in which order they are.
func (l *Lab) curveFigure(r *LearningCurveResult, order string) *figure.Figure {
	f := figure.New("Few labels", "labelled images of each class", "test accuracy, %").LogX()
	for i, k := range compared {
		if c := r.of(k); c != nil {
			x, y, e := curveXY(c)
			f.Use(i).ErrorBars(string(k), x, y, e)
			f.Use(i).Scatter("", x, y)
		}
	}
	published := ""
	if !l.Photographs().Data.Generated {
		published = " Dashed: published, figure 1 (right), 1600 units, with intervals."
		for i, k := range compared {
			name := ""
			if r.of(k) == nil {
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
	l.Save("learning-curve", fmt.Sprintf("Lines: measured, %d units, mean and standard deviation over %d draws.%s Data: %v.%s",
		l.Settings().Units, l.Settings().Draws, published, l.Photographs().Data, order), f)
	return f
}

// curveXY is a curve in per cent.
func curveXY(c *l2svm.Curve) (x, y, e []float64) {
	for _, p := range c.Points {
		x, y, e = append(x, float64(p.PerClass)), append(y, 100*p.Mean), append(e, 100*p.SD)
	}
	return x, y, e
}
