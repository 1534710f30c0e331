package s3c2011

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// In the challenge, the unlabeled images were from classes other than those of the test set. Here the
// even-numbered classes of CIFAR-10 (airplane, bird, deer, frog, ship) play the role of the unlabeled images, and
// the odd-numbered classes (automobile, cat, dog, horse, truck) play the role of the test set. Whitening, units,
// and the machine's C are determined on the even classes; each odd class has 12 labeled images. For comparison,
// everything is also learned from the same number of unlabeled images of the odd classes themselves. The
// difference shows what learning from other classes costs.

// Origins of the units.
const (
	fromOthers = "other classes"
	fromOwn    = "the classes themselves"
)

// An otherSize holds the sizes of the experiment OtherClasses: numbers of units, steps, patches, images and draws. The
// full size has a quarter of the paper's units, because the experiment learns two models and two dictionaries.
type otherSize struct {
	Units, Steps, Whiten, Quantised, Iterations int
	Pool, Test                                  int // images from which labeled images are drawn; images to test on
	PerClass, Draws                             int
}

// otherClasses holds the sizes and the images of the experiment OtherClasses.
type otherClasses struct {
	*sharedLab
	otherSize
	data *Photographs
}

func newOtherClasses(s *sharedLab) *otherClasses {
	return &otherClasses{s, otherSize{
		Units: s.Pick(20, 50, 400), Steps: s.Pick(50, 500, 8620), Whiten: s.Pick(1000, 10_000, 400_000),
		Quantised: s.Pick(1000, 10_000, 200_000), Iterations: s.Pick(3, 10, 30),
		Pool: s.Pick(50, 100, 1000), Test: s.Pick(25, 60, 2000), PerClass: s.Pick(3, 12, 12), Draws: s.Pick(3, 10, 10),
	}, s.Photographs()}
}

// A classHalf is the data of one half of the classes. unlabelled has all training images of these classes. Labeled
// images are drawn from pool, whose labels are y. Accuracies are measured on the images in test, whose labels are
// ytest. No image is in both pool and test.
type classHalf struct {
	unlabelled, pool, test *vision.Images
	y, ytest               []int
}

// half returns the data of the even-numbered classes (parity 0) or of the odd-numbered classes (parity 1). For the odd
// classes, the images in test are test images of CIFAR-10. For the even classes they are training images that are not
// in pool: C is chosen on them, and no test image may influence that choice.
func (o *otherClasses) half(parity int) classHalf {
	all, labels := ofClasses(o.data.Train, o.data.TrainLabels, parity)
	from, labelsFrom := all, labels
	h := classHalf{unlabelled: all}
	pool := min(o.Pool, all.Len()/2)
	h.pool, h.y = all.Slice(0, pool), labels[:pool]
	if parity == 0 {
		from, labelsFrom = all.Slice(pool, all.Len()), labels[pool:]
	} else {
		from, labelsFrom = ofClasses(o.data.Test, o.data.TestLabels, parity)
	}
	n := min(o.Test, from.Len())
	h.test, h.ytest = from.Slice(0, n), labelsFrom[:n]
	return h
}

// ofClasses returns the images of the even-numbered classes (parity 0) or of the odd-numbered classes (parity 1). The
// classes are numbered anew: 0, 1, …
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

// A learnedEncoder computes features for the experiment OtherClasses. It consists of a whitening and an encoder, which
// were learned from unlabeled images, and the pooling.
type learnedEncoder struct {
	w    *vision.Whitening
	e    vision.Encoder
	pool vision.Pool
}

// learn learns the whitening and the encoder of a kind from unlabeled images.
func (o *otherClasses) learn(k Kind, im *vision.Images) learnedEncoder {
	w, err := vision.FitWhitening(o.Context(), vision.NewPatches(im, side, o.Whiten, o.Seed), &vision.WhitenOptions{})
	lab.Check(err)
	grid, pooling := k.pooling()
	out := learnedEncoder{w: w, pool: vision.Pool{Grid: grid, Pooling: pooling}}
	if k == SoftThreshold {
		X, err := vision.Hold(o.Context(), w.Patches(vision.NewPatches(im, side, o.Quantised, o.Seed)))
		lab.Check(err)
		d, err := vision.FitOMP1(o.Context(), X, &vision.OMP1Options{Atoms: o.Units, Passes: o.Iterations, Seed: o.Seed, Recorder: o.Recorder})
		lab.Check(err)
		out.e = vision.SoftThreshold(d, 0.25)
		return out
	}
	r, err := s3c.Fit(o.Context(), vision.NewSource(im, side, w, o.Seed), &s3c.Options{Units: o.Units, Steps: o.Steps, Recorder: o.Recorder})
	lab.Check(err)
	m := r.State.Model
	opt := s3c.EncoderOptions{}
	if o.Units >= 150 {
		opt.Skip = &s3c.SkipOptions{}
	}
	first, err := m.NewEncoder(&opt)
	lab.Check(err)
	out.e = vision.Wrap("S3C "+m.Checksum(), 3*side*side, o.Units, func() vision.PatchEncoder { return first.Fork() })
	return out
}

func (o *otherClasses) pooledBy(e learnedEncoder, im *vision.Images) l2svm.Points {
	M, err := vision.ExtractFeatures(o.Context(), im, e.w, e.e, &vision.ExtractOptions{Grid: e.pool.Grid, Pooling: e.pool.Pooling, Recorder: o.Recorder})
	lab.Check(err)
	return l2svm.Dense(M)
}

// A transferAccuracy is the accuracy of support vector machines on the odd classes, for one kind of feature. Origin
// says from which classes the features were learned.
type transferAccuracy struct {
	Kind   Kind
	Origin string
	C      float64
	l2svm.CurvePoint
}

// otherCandidates returns the candidates for C in the experiment OtherClasses: those of transferCandidates and, for
// S3C, the smaller values 0.1 and 0.3. These were added because the best value had been 1, then the smallest
// candidate.
func otherCandidates(k Kind) []float64 {
	cs := transferCandidates(k)
	if k == S3C {
		cs = append([]float64{0.1, 0.3}, cs...)
	}
	return cs
}

func (o *otherClasses) key(k Kind, origin string) lab.Key {
	return o.keys().lent(k, origin, o.otherSize)
}

// lend measures the accuracy on the odd classes with features of kind k. origin says from which classes the features
// are learned. C is chosen on the even classes, with the same features and as many draws. It is the candidate with the
// highest mean accuracy on the test images of the even classes (see classHalf).
func (o *otherClasses) lend(k Kind, origin string) transferAccuracy {
	cs := otherCandidates(k)
	v := o.store.Numbers(o.key(k, origin), func() []float64 {
		o.begin(stageTransfer, S3C)
		defer gemm.Serial()() // blocks of images run in parallel
		lender, borrower := o.half(0), o.half(1)
		var from learnedEncoder
		of := func(im *vision.Images) l2svm.Points { return o.pooledBy(from, im) }
		switch {
		case k == rawPixels:
			of = func(im *vision.Images) l2svm.Points { return pixels{im} }
		case origin == fromOthers:
			from = o.learn(k, lender.unlabelled)
		default:
			from = o.learn(k, borrower.unlabelled)
		}
		curve := func(h classHalf, X, Xtest l2svm.Points, C float64) l2svm.CurvePoint {
			c, err := l2svm.MeasureCurve(o.Context(), X, h.y, Xtest, h.ytest, &l2svm.CurveOptions{
				Options: byGradient(), PerClass: []int{o.PerClass}, Draws: o.Draws, Cs: []float64{C}, Seed: o.Seed})
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
	out := transferAccuracy{Kind: k, Origin: origin, C: v[0], CurvePoint: l2svm.CurvePoint{PerClass: o.PerClass, Accuracy: v[1:]}}
	out.Mean, out.SD = stat.MeanStdDev(out.Accuracy, nil)
	return out
}

// over returns the mean lead of a over b and its standard error, both in percentage points. Both accuracies must be
// for the same draws of labeled images.
func (a transferAccuracy) over(b transferAccuracy) (mean, se float64) {
	d := leadsOf(a.Accuracy, b.Accuracy)
	mean, sd := stat.MeanStdDev(d, nil)
	return mean, sd / math.Sqrt(float64(len(d)))
}

// OtherClasses measures how useful features are for five classes if they were learned from images of five other
// classes. It compares these features with features learned from images of the same five classes, and with pixels.
func (l *Lab) OtherClasses() []TransferLine { return newOtherClasses(&l.sharedLab).run() }

func (o *otherClasses) run() []TransferLine {
	what := fmt.Sprintf("test accuracy on five classes, %d labels: S3C with %d units, learned from unlabeled images of five other classes", 5*o.PerClass, o.Units)
	from := []struct {
		kind          Kind
		origin, short string // short is the short name that all tables use
	}{
		{S3C, fromOthers, "S3C: other"}, {S3C, fromOwn, "S3C: own"},
		{SoftThreshold, fromOthers, "threshold: other"}, {SoftThreshold, fromOwn, "threshold: own"},
		{rawPixels, fromOthers, "pixels"},
	}
	if o.Full() && !o.Long {
		for _, f := range from {
			if !o.has(o.key(f.kind, f.origin)) {
				o.Row(record.Row{ID: "own-other-classes", What: what, Rule: record.NoData("not run; '" + o.command(stageTransfer, S3C) + "' computes it"), Data: o.data.Data})
				return nil
			}
		}
	}
	var all []transferAccuracy
	var names []string
	for _, f := range from {
		all, names = append(all, o.lend(f.kind, f.origin)), append(names, f.short)
	}
	raw := all[len(all)-1]
	var out []TransferLine
	for _, a := range all {
		line := lineOf(rawPixels, a.CurvePoint)
		if a.Kind != rawPixels {
			line.Features = fmt.Sprintf("%s, learned from %s", a.Kind, a.Origin)
			d, se := a.over(raw)
			line.Ahead = fmt.Sprintf("%.1f ± %.1f points", d, se)
		}
		out = append(out, line)
	}
	o.rows(what, all[0], all[1], all[2], raw)
	o.plot(names, out)
	return out
}

// rows adds the rows of the experiment. ours and own are the accuracies of S3C learned from other classes and from the
// classes themselves. rival is that of the soft threshold learned from other classes, and raw is that of pixels. The
// argument what is the description of the first row.
func (o *otherClasses) rows(what string, ours, own, rival, raw transferAccuracy) {
	real := o.Full() && !o.data.Data.Generated
	rule := record.AtLeast(20)
	if real {
		rule = record.AtLeast(100 * raw.Mean)
	}
	o.Row(record.Row{ID: "own-other-classes", What: what,
		Measured: record.Number(100*ours.Mean, "%"), Rule: rule, Spread: 100 * ours.SD, SpreadOf: fmt.Sprintf("standard deviation over %d draws", o.Draws), Repeat: 2, Data: o.data.Data, Figure: "other-classes",
		Reason: fmt.Sprintf("C = %g, also chosen on the other classes; raw pixels %.1f %%, chance 20 %%", ours.C, 100*raw.Mean)})
	if !real {
		return
	}
	row := func(id, what string, a, b transferAccuracy, rule record.Rule) {
		d, se := a.over(b)
		edge := ""
		for _, x := range []transferAccuracy{a, b} {
			if cs := otherCandidates(x.Kind); x.C == cs[0] || x.C == cs[len(cs)-1] {
				edge = fmt.Sprintf(", from the grid %v for %s; a wider grid might give slightly more", cs, x.Kind)
			}
		}
		o.Row(record.Row{ID: id, What: what, Measured: record.Number(d, "points"), Rule: rule, Spread: se, SpreadOf: fmt.Sprintf("standard error over %d paired draws of labeled images", o.Draws), Repeat: 1, Data: o.data.Data, Figure: "other-classes",
			Reason: fmt.Sprintf("%.2f and %.2f %%, C = %g and %g%s", 100*a.Mean, 100*b.Mean, a.C, b.C, edge)})
	}
	labels := 5 * o.PerClass
	row("own-other-classes-cost", fmt.Sprintf("test accuracy on five classes, %d labels: S3C learned from these classes minus S3C learned from five other classes", labels), own, ours, record.AtMost(1))
	row("own-other-classes-soft-threshold", fmt.Sprintf("test accuracy on five classes, %d labels, features learned from five other classes: S3C minus soft threshold", labels), ours, rival, record.AtLeast(0))
}

func (o *otherClasses) plot(names []string, lines []TransferLine) {
	f := drawTransfer("Features learned from other classes", names, fmt.Sprintf("%d labels, mean of %d draws", 5*o.PerClass, o.Draws), lines)
	var even, odd []string
	for c, name := range o.data.Classes {
		if c%2 == 0 {
			even = append(even, name)
		} else {
			odd = append(odd, name)
		}
	}
	o.Save("other-classes", fmt.Sprintf("Support vector machines for %d classes (%s), trained on %d labeled images per class. The features (%d units) were learned without labels from other classes (other: %s) or from the same classes (own); pixels are not learned. C is chosen on the other classes. Error bars: standard deviation over draws. Data: %v.",
		len(odd), list(odd), o.PerClass, o.Units, list(even), o.data.Data), f)
}

// list joins two or more names with commas and "and".
func list(names []string) string {
	n := len(names) - 1
	return strings.Join(names[:n], ", ") + " and " + names[n]
}
