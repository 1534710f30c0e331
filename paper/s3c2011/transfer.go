package s3c2011

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// transferPerClass is the number of labeled images of each of the ten classes in the challenge. If a class has fewer
// images, fewer are drawn.
const transferPerClass = 12

// rawPixels is the baseline without features.
const rawPixels Kind = "raw pixels"

// A transfer runs the stand-in for the transfer-learning challenge: it measures accuracies with few labels on
// CIFAR-10.
type transfer struct {
	*pipeline
	data       *Photographs
	per, draws int // number of labeled images of each class, and number of draws
}

func newTransfer(p *pipeline) *transfer {
	data := p.Photographs()
	count := make([]int, len(data.Classes))
	for _, y := range data.TrainLabels {
		count[y]++
	}
	return &transfer{pipeline: p, data: data, per: min(transferPerClass, slices.Min(count)), draws: p.Pick(3, 10, 10)}
}

// transferCandidates returns the candidates for C. Pixels need a smaller C than features: the floor that is added to
// the variances makes standardized features smaller, but hardly affects pixels, whose variances are larger than the
// floor.
func transferCandidates(k Kind) []float64 {
	if k == rawPixels {
		return []float64{0.0003, 0.001, 0.003, 0.01, 0.03, 0.1}
	}
	_, few := k.candidates()
	return few
}

// Transfer draws 120 labeled images, 12 of each class, several times, and trains support vector machines on each draw. It
// returns their accuracy on all test images. C is chosen by five-fold cross-validation on the 120 images of the
// draw.
func (l *Lab) Transfer(k Kind) l2svm.CurvePoint { return newTransfer(&l.pipeline).accuracy(k) }

// needs returns a list with one key, that of the accuracy of kind k. The result is a list because t.shown(t.needs)
// requires it.
func (t *transfer) needs(k Kind) []lab.Key { return []lab.Key{t.keys().transfer(k, t.per, t.draws)} }

func (t *transfer) accuracy(k Kind) l2svm.CurvePoint {
	v := t.store.Numbers(t.needs(k)[0], func() []float64 {
		defer gemm.Serial()() // blocks of images run in parallel
		var train, test l2svm.Points
		if k == rawPixels {
			train, test = pixels{t.data.Train}, pixels{t.data.Test}
		} else {
			t.begin(stageClassify, k)
			train, test = t.Features(k, Train), t.Features(k, Test)
		}
		c, err := l2svm.MeasureCurve(t.Context(), train, t.data.TrainLabels, test, t.data.TestLabels, &l2svm.CurveOptions{
			Options: t.machineOptions(k), PerClass: []int{t.per}, Draws: t.draws, Cs: transferCandidates(k), Seed: t.Seed, Recorder: t.Recorder,
		})
		lab.Check(ended.Accept(err))
		return append(slices.Clone(c.Points[0].Accuracy), c.Points[0].C...)
	})
	out := l2svm.CurvePoint{PerClass: t.per, Accuracy: v[:t.draws], C: v[t.draws:]}
	out.Mean, out.SD = stat.MeanStdDev(out.Accuracy, nil)
	return out
}

// pixels is a set of images as l2svm.Points: each image is a point, and its pixels have values from 0 to 1.
type pixels struct{ *vision.Images }

func (p pixels) Dims() (n, d int) { return p.Len(), p.Channels * p.Height * p.Width }

func (p pixels) Read(dst []float32, from, to int) error {
	_, d := p.Dims()
	for i, v := range p.Pixels[from*d : to*d] {
		dst[i] = float32(v) / 255
	}
	return nil
}

// A TransferLine is the result for one kind of feature in the stand-in for the challenge.
type TransferLine struct {
	Features string
	Accuracy string  // mean ± standard deviation over draws
	Ahead    string  // lead over the accuracy on raw pixels with the same draws
	mean, sd float64 // percent
}

// TransferChallenge measures a stand-in for the transfer challenge, whose images are not available. Features
// are learned from CIFAR-10's training images without labels, and machines are trained on 120 labeled images
// of the ten classes. The result says nothing about the published number: in the challenge the unlabeled
// images came from another data set, with classes other than those of the test set.
func (l *Lab) TransferChallenge() []TransferLine { return newTransfer(&l.pipeline).run() }

func (t *transfer) run() []TransferLine {
	t.Row(record.Row{ID: "transfer", What: "test accuracy in the transfer challenge of the NIPS 2011 workshop, 120 labels",
		Published: record.Published(publishedTransfer, "%", inEnd), Data: t.data.Data,
		Rule: record.NoData("its images, a subset of Tiny Images, are no longer available, because the authors withdrew that data set; the rows own-transfer use CIFAR-10 instead")})
	base := t.accuracy(rawPixels)
	var out []TransferLine
	for _, k := range t.shown(t.needs) {
		a := t.accuracy(k)
		mean, sd := stat.MeanStdDev(leadsOf(a.Accuracy, base.Accuracy), nil)
		line := lineOf(k, a)
		line.Ahead = fmt.Sprintf("%.1f ± %.1f points", mean, sd)
		out = append(out, line)
		rule := record.AtLeast(10)
		if !t.data.Data.Generated && t.Size != record.Smoke {
			rule = record.AtLeast(100 * base.Mean)
		}
		t.Row(record.Row{ID: "own-transfer-" + k.slug(), What: fmt.Sprintf("stand-in for the challenge: test accuracy, %d labels, %s", len(t.data.Classes)*t.per, k),
			Measured: record.Number(100*a.Mean, "%"), Rule: rule, Spread: 100 * a.SD, SpreadOf: fmt.Sprintf("standard deviation over %d draws", len(a.Accuracy)), Repeat: 1, Data: t.data.Data, Figure: "transfer",
			Reason: fmt.Sprintf("features learned without labels from images of the same classes; raw pixels %.1f %%, chance 10 %%", 100*base.Mean)})
	}
	out = append(out, lineOf(rawPixels, base)) // without a row: with 120 labels accuracies may be near chance
	t.plot(out)
	return out
}

// lineOf returns the line for kind k with the accuracy a. It does not set Ahead.
func lineOf(k Kind, a l2svm.CurvePoint) TransferLine {
	return TransferLine{Features: string(k), Accuracy: fmt.Sprintf("%.1f ± %.1f %%", 100*a.Mean, 100*a.SD), mean: 100 * a.Mean, sd: 100 * a.SD}
}

func (t *transfer) plot(lines []TransferLine) {
	// The notebook says that features are better than pixels.
	order := ""
	if i := slices.IndexFunc(lines, func(a TransferLine) bool { return a.Features == string(S3C) }); i >= 0 {
		order = lab.Order{Names: []string{string(S3C), string(rawPixels)}, Values: [][]float64{{lines[i].mean, lines[len(lines)-1].mean}}, Places: []string{""}, Unit: "%", Data: t.data.Data}.Note()
	}
	var names []string
	for _, a := range lines {
		names = append(names, a.Features)
	}
	f := drawTransfer("A stand-in for the challenge", names, fmt.Sprintf("%d labels, mean of %d draws", len(t.data.Classes)*t.per, t.draws), lines)
	t.Save("transfer", fmt.Sprintf("Not the challenge's data: features learned from the unlabeled training images, and support vector machines trained on %d labeled images of each of 10 classes, drawn %d times. Error bars: standard deviation over draws. Data: %v.%s", t.per, t.draws, t.data.Data, order),
		f)
	t.Rounded("transfer")
}

// drawTransfer draws a bar chart of the accuracies in the given lines, with error bars for their standard deviations.
// names holds the labels of the bars.
func drawTransfer(title string, names []string, legend string, lines []TransferLine) *figure.Figure {
	mean, top := []float64{}, 0.0
	for _, a := range lines {
		mean, top = append(mean, a.mean), max(top, a.mean+a.sd)
	}
	f := figure.Bars(title, names, []string{legend}, [][]float64{mean})
	f.Y.Label.Text = "test accuracy, %"
	f.Y.Min, f.Y.Max = 0, 1.05*top
	for i, a := range lines {
		f.Use(figure.Black).ErrorBars("", []float64{float64(i)}, []float64{a.mean}, []float64{a.sd})
	}
	return f
}
