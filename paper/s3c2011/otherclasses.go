package s3c2011

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// In the challenge the unlabelled images were of other classes than the test set. Here the even-numbered
// classes of CIFAR-10 (airplane, bird, deer, frog, ship) play the role of the unlabeled images, and the
// odd-numbered classes (automobile, cat, dog, horse, truck) that of the test set. Whitening, units, and the
// machine's C are determined on the even classes; each odd class has 12 labeled images. For comparison,
// everything is also learned from as many unlabeled images of the odd classes themselves: the difference is
// the loss from learning from other classes.

// Origins of the units.
const (
	otherClasses = "other classes"
	ownClasses   = "the classes themselves"
)

// An otherSize holds the numbers of the experiment. The full size has a quarter of the paper's units, because
// the experiment learns two models and two dictionaries.
type otherSize struct {
	Units, Steps, Whiten, Quantised, Iterations int
	Pool, Test                                  int // images from which labeled images are drawn; images to test on
	PerClass, Draws                             int
}

func (l *Lab) otherSize() otherSize {
	s := otherSize{
		Units: l.Pick(20, 50, 400), Steps: l.Pick(50, 500, 8620), Whiten: l.Pick(1000, 10_000, 400_000),
		Quantised: l.Pick(1000, 10_000, 200_000), Iterations: l.Pick(3, 10, 30),
		Pool: l.Pick(50, 100, 1000), Test: l.Pick(25, 60, 2000), PerClass: l.Pick(3, 12, 12), Draws: l.Pick(3, 10, 10),
	}
	return s
}

// A classHalf is the data of one half of the classes: all its training images without labels, some of them
// with labels, and others, with labels, to test on.
type classHalf struct {
	unlabelled, pool, test *vision.Images
	y, ytest               []int
}

// half returns the images of the even (0) or odd (1) classes. Images of the even classes are all training
// images, because C is chosen on them.
func (l *Lab) half(parity int) classHalf {
	p, s := l.Photographs(), l.otherSize()
	all, labels := ofClasses(p.Train, p.TrainLabels, parity)
	from, labelsFrom := all, labels
	h := classHalf{unlabelled: all}
	pool := min(s.Pool, all.Len()/2)
	h.pool, h.y = all.Slice(0, pool), labels[:pool]
	if parity == 0 {
		from, labelsFrom = all.Slice(pool, all.Len()), labels[pool:]
	} else {
		from, labelsFrom = ofClasses(p.Test, p.TestLabels, parity)
	}
	n := min(s.Test, from.Len())
	h.test, h.ytest = from.Slice(0, n), labelsFrom[:n]
	return h
}

// ofClasses returns the images of the classes with this parity, with the labels 0, 1, …
func ofClasses(im *vision.Images, labels []int, parity int) (*vision.Images, []int) {
	size := im.Channels * im.Height * im.Width
	var pixels []uint8
	var y []int
	for i, c := range labels {
		if c%2 == parity {
			pixels = append(pixels, im.Pixels[i*size:(i+1)*size]...)
			y = append(y, c/2)
		}
	}
	return vision.NewImages(pixels, im.Channels, im.Height, im.Width), y
}

// A learned is a whitening and an encoder that were learned from unlabeled images.
type learned struct {
	w    *vision.Whitening
	e    vision.Encoder
	pool vision.Pool
}

// learn learns the whitening and the encoder of a kind from unlabeled images.
func (l *Lab) learn(k Kind, im *vision.Images) learned {
	s := l.otherSize()
	w, err := vision.FitWhitening(l.Context(), vision.NewPatches(im, side, s.Whiten, l.Seed), &vision.WhitenOptions{})
	lab.Check(err)
	grid, pooling := k.pooling()
	out := learned{w: w, pool: vision.Pool{Grid: grid, Pooling: pooling}}
	if k == SoftThreshold {
		X, err := vision.Hold(l.Context(), w.Patches(vision.NewPatches(im, side, s.Quantised, l.Seed)))
		lab.Check(err)
		d, err := vision.FitOMP1(l.Context(), X, &vision.OMP1Options{Atoms: s.Units, Passes: s.Iterations, Seed: l.Seed, Recorder: l.Recorder})
		lab.Check(err)
		out.e = vision.SoftThreshold(d, 0.25)
		return out
	}
	r, err := s3c.Fit(l.Context(), vision.NewSource(im, side, w, l.Seed), &s3c.Options{Units: s.Units, Steps: s.Steps, Recorder: l.Recorder})
	lab.Check(err)
	m := r.State.Model
	opt := s3c.EncoderOptions{}
	if s.Units >= 150 {
		opt.Skip = &s3c.SkipOptions{}
	}
	first, err := m.NewEncoder(&opt)
	lab.Check(err)
	out.e = vision.Wrap("S3C "+m.Checksum(), 3*side*side, s.Units, func() vision.PatchEncoder { return first.Fork() })
	return out
}

func (l *Lab) pooledBy(e learned, im *vision.Images) l2svm.Points {
	M, err := vision.ExtractFeatures(l.Context(), im, e.w, e.e, &vision.ExtractOptions{Grid: e.pool.Grid, Pooling: e.pool.Pooling, Recorder: l.Recorder})
	lab.Check(err)
	return l2svm.Dense(M)
}

// A lent is the accuracy of machines on the odd classes, for one kind of features.
type lent struct {
	Kind   Kind
	Origin string
	C      float64
	l2svm.CurvePoint
}

// otherCandidates returns the candidates for C in the challenge. For S3C it adds smaller values, because 1
// was the best when it was the smallest.
func otherCandidates(k Kind) []float64 {
	cs := transferCandidates(k)
	if k == S3C {
		cs = append([]float64{0.1, 0.3}, cs...)
	}
	return cs
}

// lend measures the accuracy on the odd classes. C is the value with the highest mean accuracy on the even
// classes, with the same features, over the same number of draws, tested on other training images of the even
// classes.
func (l *Lab) lend(k Kind, origin string) lent {
	s := l.otherSize()
	cs := otherCandidates(k)
	v := l.store.Numbers(l.lentKey(k, origin), func() []float64 {
		l.begin(stageTransfer, S3C)
		defer gemm.Serial()() // blocks of images run in parallel
		lender, borrower := l.half(0), l.half(1)
		var from learned
		of := func(im *vision.Images) l2svm.Points { return l.pooledBy(from, im) }
		switch {
		case k == rawPixels:
			of = func(im *vision.Images) l2svm.Points { return pixels{im} }
		case origin == otherClasses:
			from = l.learn(k, lender.unlabelled)
		default:
			from = l.learn(k, borrower.unlabelled)
		}
		curve := func(h classHalf, X, Xtest l2svm.Points, C float64) l2svm.CurvePoint {
			c, err := l2svm.MeasureCurve(l.Context(), X, h.y, Xtest, h.ytest, &l2svm.CurveOptions{
				Options: byGradient(), PerClass: []int{s.PerClass}, Draws: s.Draws, Cs: []float64{C}, Seed: l.Seed})
			lab.Check(err)
			return c.Points[0]
		}
		X, Xtest := of(lender.pool), of(lender.test)
		best, C := math.Inf(-1), 0.0
		for _, c := range cs {
			if a := curve(lender, X, Xtest, c).Mean; a > best {
				best, C = a, c
			}
		}
		return append([]float64{C}, curve(borrower, of(borrower.pool), of(borrower.test), C).Accuracy...)
	})
	out := lent{Kind: k, Origin: origin, C: v[0], CurvePoint: l2svm.CurvePoint{PerClass: s.PerClass, Accuracy: v[1:]}}
	out.Mean, out.SD = stat.MeanStdDev(out.Accuracy, nil)
	return out
}

// over returns the lead of a over b with the same draws, and the standard error of that lead, in points.
func (a lent) over(b lent) (mean, se float64) {
	var d []float64
	for j := range a.Accuracy {
		d = append(d, 100*(a.Accuracy[j]-b.Accuracy[j]))
	}
	mean, sd := stat.MeanStdDev(d, nil)
	return mean, sd / math.Sqrt(float64(len(d)))
}

// OtherClasses measures how useful features are for classes that were not among the unlabeled images.
func (l *Lab) OtherClasses() []TransferLine {
	p, s := l.Photographs(), l.otherSize()
	what := fmt.Sprintf("test accuracy on five classes, %d labels, S3C with %d units, learned from the unlabelled images of five others", 5*s.PerClass, s.Units)
	if l.Full() && !l.Long && !l.has([]lab.Key{l.lentKey(S3C, otherClasses), l.lentKey(S3C, ownClasses), l.lentKey(SoftThreshold, otherClasses), l.lentKey(SoftThreshold, ownClasses), l.lentKey(rawPixels, otherClasses)}) {
		l.Row(record.Row{ID: "own-other-classes", What: what, Rule: record.NoData("not run: '" + l.command(stageTransfer, S3C) + "' makes it"), Data: p.Data})
		return nil
	}
	all := []lent{
		l.lend(S3C, otherClasses), l.lend(S3C, ownClasses),
		l.lend(SoftThreshold, otherClasses), l.lend(SoftThreshold, ownClasses),
		l.lend(rawPixels, otherClasses),
	}
	ours, own, rival, raw := all[0], all[1], all[2], all[4]
	var out []TransferLine
	for _, a := range all {
		line := TransferLine{Features: fmt.Sprintf("%s, learned from %s", a.Kind, a.Origin), Accuracy: fmt.Sprintf("%.1f ± %.1f %%", 100*a.Mean, 100*a.SD), mean: 100 * a.Mean, sd: 100 * a.SD}
		if a.Kind == rawPixels {
			line.Features = string(rawPixels)
		} else {
			d, se := a.over(raw)
			line.Ahead = fmt.Sprintf("%.1f ± %.1f points", d, se)
		}
		out = append(out, line)
	}
	labels := 5 * s.PerClass
	rule := record.AtLeast(20)
	if l.Full() && !p.Data.Generated {
		rule = record.AtLeast(100 * raw.Mean)
	}
	l.Row(record.Row{ID: "own-other-classes", What: what,
		Measured: record.Number(100*ours.Mean, "%"), Rule: rule, Spread: 100 * ours.SD, SpreadOf: fmt.Sprintf("standard deviation over %d draws", s.Draws), Repeat: 2, Data: p.Data, Figure: "other-classes",
		Reason: fmt.Sprintf("C = %g, by the other classes too; raw pixels %.1f %%, chance 20 %%", ours.C, 100*raw.Mean)})
	if l.Full() && !p.Data.Generated {
		row := func(id, what string, a, b lent, rule record.Rule) {
			d, se := a.over(b)
			edge := ""
			for _, x := range []lent{a, b} {
				if cs := otherCandidates(x.Kind); x.C == cs[0] || x.C == cs[len(cs)-1] {
					edge = fmt.Sprintf(", of %v for %s: a wider grid may give a little more", cs, x.Kind)
				}
			}
			l.Row(record.Row{ID: id, What: what, Measured: record.Number(d, "points"), Rule: rule, Spread: se, SpreadOf: fmt.Sprintf("standard error over %d draws of the same labelled images", s.Draws), Repeat: 1, Data: p.Data, Figure: "other-classes",
				Reason: fmt.Sprintf("%.2f and %.2f %%, C = %g and %g%s", 100*a.Mean, 100*b.Mean, a.C, b.C, edge)})
		}
		row("own-other-classes-cost", fmt.Sprintf("test accuracy on five classes, %d labels: S3C learned from these classes less S3C learned from five others", labels), own, ours, record.AtMost(1))
		row("own-other-classes-soft-threshold", fmt.Sprintf("test accuracy on five classes, %d labels, learned from five others: S3C less soft threshold", labels), ours, rival, record.AtLeast(0))
	}
	names, mean, top := []string{}, []float64{}, 0.0
	short := []string{"S3C: other", "S3C: own", "threshold: other", "threshold: own", "pixels"} // short names, as in all tables
	for i, t := range out {
		names, mean = append(names, short[i]), append(mean, t.mean)
		top = max(top, t.mean+t.sd)
	}
	f := figure.Bars("What other classes teach", names, []string{fmt.Sprintf("%d labels, mean of %d draws", labels, s.Draws)}, [][]float64{mean})
	f.Y.Label.Text = "test accuracy, %"
	f.Y.Min, f.Y.Max = 0, 1.05*top
	for i, t := range out {
		f.Use(figure.Black).ErrorBars("", []float64{float64(i)}, []float64{t.mean}, []float64{t.sd})
	}
	var even, odd []string
	for c, name := range p.Classes {
		if c%2 == 0 {
			even = append(even, name)
		} else {
			odd = append(odd, name)
		}
	}
	l.Save("other-classes", fmt.Sprintf("Machines for %d classes (%s) from %d labelled images of each, on features of %d units learned without labels from other classes (%s) or from these (own); C is chosen on the former. Bars: standard deviation over draws. Data: %v.",
		len(odd), list(odd), s.PerClass, s.Units, list(even), p.Data), f)
	return out
}

// list joins names with commas and "and".
func list(names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		s := names[0]
		for _, name := range names[1 : n-1] {
			s += ", " + name
		}
		return s + " and " + names[n-1]
	}
}
