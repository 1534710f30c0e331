package s3c2011

import (
	"fmt"
	"math"
	"slices"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/paper/lab"
)

// candidates returns the values of C that cross-validation tries, in ascending order. The result all is for training
// with all labels, and few is for training with few labels. C multiplies the mean of the losses, not their sum, so it
// must be smaller with few labels.
//
// S3C's features remain small when they are standardized, so they need a larger C than the other kinds. S3C's features
// are means, which vary only by hundredths, and standardization divides them by √(variance + 0.01), which is at least
// 0.1.
func (k Kind) candidates() (all, few []float64) {
	switch grid, _ := k.pooling(); {
	case grid == 3:
		return []float64{10, 30, 100, 300, 1000}, []float64{1, 3, 10, 30, 100, 300}
	case k == SparseCoding:
		return []float64{0.3, 1, 3, 10, 30}, []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10}
	}
	return []float64{3, 10, 30, 100, 300}, []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10}
}

// fewCandidates returns the candidates for C with n labels of each class. At full size, the soft threshold and sparse
// coding have additional candidates: values below 0.01 with 50 or 100 labels, and above 10 with 1000, because the best
// C would otherwise be the smallest or the largest candidate. If Long is not set, and the store has only a result that
// was computed without the additional candidates, fewCandidates leaves them out, so that this result is used.
func (p *pipeline) fewCandidates(k Kind, n int) []float64 {
	_, cs := k.candidates()
	wide := cs
	switch {
	case !p.Full() || k != SoftThreshold && k != SparseCoding:
	case n <= 100:
		wide = append([]float64{0.001, 0.003}, cs...)
	case n >= 1000:
		wide = append(slices.Clone(cs), 30, 100)
	}
	if keys := p.keys(); !p.Long && !p.store.Has(keys.few(k, n, wide)) && p.store.Has(keys.few(k, n, cs)) {
		return cs
	}
	return wide
}

// A Choice is a candidate for C with its accuracy on the folds, which consist only of training
// images.
type Choice struct {
	C        float64
	Accuracy float64   // over all training images
	Folds    []float64 // accuracy on each fold
	Chosen   string    // "✓" for the chosen candidate
}

// Choose finds C for training with all labels, by cross-validation over contiguous fifths of the training images. It
// tries the candidates in ascending order, until two in a row are no better than the best so far. Sizes below full use
// the candidates for few labels, because "all labels" are still few there.
func (p *pipeline) Choose(k Kind) []Choice {
	var list []Choice
	best, worse := 0, 0
	candidates, few := k.candidates()
	if !p.Full() {
		candidates = few
	}
	for _, C := range candidates {
		v := p.store.Numbers(p.keys().cv(k, C), func() []float64 {
			p.begin(stageClassify, k)
			defer gemm.Serial()() // blocks of images run in parallel
			o := p.machineOptions(k)
			o.Recorder = p.Recorder
			v, err := l2svm.CrossValidate(p.Context(), p.Features(k, Train), p.Photographs().TrainLabels, []float64{C}, &l2svm.CVOptions{Options: o, Folding: l2svm.Contiguous})
			lab.Check(ended.Accept(err))
			return append([]float64{v.Accuracy[0]}, v.FoldAccuracy[0]...)
		})
		list = append(list, Choice{C: C, Accuracy: v[0], Folds: v[1:]})
		if n := len(list) - 1; v[0] > list[best].Accuracy {
			best, worse = n, 0
		} else if n > 0 {
			worse++
		}
		if worse == 2 {
			break
		}
	}
	list[best].Chosen = "✓"
	return list
}

// A TrainedMachine holds the results of a support vector machine that was trained with all labels, and with the C that
// Choose found.
type TrainedMachine struct {
	Kind          Kind
	C             float64
	Train, Test   float64 // accuracy
	Steps         int     // steps for the slowest class
	Converged     bool
	TrainN, TestN int
}

// String returns the result in one line.
func (t TrainedMachine) String() string {
	end := ""
	if !t.Converged {
		end = ", not converged"
	}
	return fmt.Sprintf("%s: %.2f %% of %d test images, %.2f %% of %d training images; C = %g, %d steps%s", t.Kind, 100*t.Test, t.TestN, 100*t.Train, t.TrainN, t.C, t.Steps, end)
}

// AllLabels trains a support vector machine on the features of all training images, and tests it on the test images.
func (p *pipeline) AllLabels(k Kind) TrainedMachine {
	im := p.Photographs()
	v := p.store.Numbers(p.keys().test(k), func() []float64 {
		p.begin(stageClassify, k)
		defer gemm.Serial()() // blocks of images run in parallel
		C := 0.0
		for _, c := range p.Choose(k) {
			if c.Chosen != "" {
				C = c.C
			}
		}
		X := p.Features(k, Train)
		o := p.machineOptions(k)
		o.C, o.Recorder = C, p.Recorder
		m, err := l2svm.Fit(p.Context(), X, im.TrainLabels, &o)
		lab.Check(ended.Accept(err))
		train, err := m.Accuracy(p.Context(), X, im.TrainLabels)
		lab.Check(err)
		test, err := m.Accuracy(p.Context(), p.Features(k, Test), im.TestLabels)
		lab.Check(err)
		steps, converged := 0, 0.0
		for _, s := range m.Iterations {
			steps = max(steps, s)
		}
		if m.Status == ended.Converged {
			converged = 1
		}
		return []float64{C, train, test, float64(steps), converged}
	})
	return TrainedMachine{Kind: k, C: v[0], Train: v[1], Test: v[2], Steps: int(v[3]), Converged: v[4] == 1, TrainN: len(im.TrainLabels), TestN: len(im.TestLabels)}
}

// FewLabels trains support vector machines on a few labeled images of each class, drawn at random several times. It
// returns the accuracy of these machines on the test images. For each draw, C is chosen by cross-validation on the
// drawn images.
func (p *pipeline) FewLabels(k Kind) *l2svm.Curve {
	im, s := p.Photographs(), p.Settings()
	c := &l2svm.Curve{Name: string(k)}
	for _, n := range s.PerClass {
		cs := p.fewCandidates(k, n)
		v := p.store.Numbers(p.keys().few(k, n, cs), func() []float64 {
			p.begin(stageClassify, k)
			defer gemm.Serial()() // blocks of images run in parallel
			c, err := l2svm.MeasureCurve(p.Context(), p.Features(k, Train), im.TrainLabels, p.Features(k, Test), im.TestLabels, &l2svm.CurveOptions{
				Options: p.machineOptions(k), PerClass: []int{n}, Draws: s.Draws, Cs: cs, Seed: p.Seed, Recorder: p.Recorder,
			})
			lab.Check(ended.Accept(err))
			return append(append([]float64{c.Points[0].Mean, c.Points[0].SD}, c.Points[0].Accuracy...), c.Points[0].C...)
		})
		c.Points = append(c.Points, l2svm.CurvePoint{PerClass: n, Mean: v[0], SD: v[1], Accuracy: v[2 : 2+s.Draws], C: v[2+s.Draws:]})
	}
	return c
}

// byGradient returns the options with which all support vector machines of this paper are trained. Training ends when
// the norm of the gradient has fallen to a thousandth of its value at 0. The infinite Gap switches off the test of the
// duality gap. All recorded results were measured in this way.
func byGradient() l2svm.Options { return l2svm.Options{Gap: math.Inf(1)} }

// machineOptions returns the options for machines that are trained on features of a kind.
func (p *pipeline) machineOptions(k Kind) l2svm.Options {
	o := byGradient()
	if k.usesDevice() {
		o.Device = p.Device
	}
	return o
}
