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

// In the challenge there were 12 labeled images for each of the ten classes of the test set.
const transferPerClass = 12

// transferDraws returns the number of draws of labeled images.
func (l *Lab) transferDraws() int { return l.Pick(3, 10, 10) }

// rawPixels is the baseline without features.
const rawPixels Kind = "raw pixels"

// transferPer returns the number of labeled images of each class: 12, or fewer if not enough exist.
func (l *Lab) transferPer() int {
	count := make([]int, len(l.Photographs().Classes))
	for _, y := range l.Photographs().TrainLabels {
		count[y]++
	}
	return min(transferPerClass, slices.Min(count))
}

// transferCandidates returns the candidates for C. Pixels need a smaller C than features, because the floor
// under the standard deviations hardly affects standardized pixels.
func transferCandidates(k Kind) []float64 {
	if k == rawPixels {
		return []float64{0.0003, 0.001, 0.003, 0.01, 0.03, 0.1}
	}
	_, few := k.candidates()
	return few
}

// Transfer returns the accuracy on all test images of machines trained on 120 labeled images, 12 of each
// class, drawn several times. C is chosen by five-fold cross-validation on the 120 images.
func (l *Lab) Transfer(k Kind) l2svm.CurvePoint {
	p, per := l.Photographs(), l.transferPer()
	v := l.store.Numbers(l.transferKey(k), func() []float64 {
		defer gemm.Serial()() // blocks of images run in parallel
		var train, test l2svm.Points
		if k == rawPixels {
			train, test = pixels{p.Train}, pixels{p.Test}
		} else {
			l.begin(stageClassify, k)
			train, test = l.Features(k, Train), l.Features(k, Test)
		}
		c, err := l2svm.MeasureCurve(l.Context(), train, p.TrainLabels, test, p.TestLabels, &l2svm.CurveOptions{
			Options: byGradient(), PerClass: []int{per}, Draws: l.transferDraws(), Cs: transferCandidates(k), Seed: l.Seed, Recorder: l.Recorder,
		})
		lab.Check(ended.Accept(err))
		return append(slices.Clone(c.Points[0].Accuracy), c.Points[0].C...)
	})
	draws := l.transferDraws()
	out := l2svm.CurvePoint{PerClass: per, Accuracy: v[:draws], C: v[draws:]}
	out.Mean, out.SD = stat.MeanStdDev(out.Accuracy, nil)
	return out
}

// pixels presents images as points with values from 0 to 1.
type pixels struct{ *vision.Images }

func (p pixels) Dims() (n, d int) { return p.Len(), p.Channels * p.Height * p.Width }

func (p pixels) Read(dst []float32, from, to int) error {
	_, d := p.Dims()
	for i, v := range p.Pixels[from*d : to*d] {
		dst[i] = float32(v) / 255
	}
	return nil
}

// A TransferLine is the result for one kind of features in the stand-in for the challenge.
type TransferLine struct {
	Features string
	Accuracy string  // mean ± standard deviation over draws
	Ahead    string  // lead over the accuracy on raw pixels with the same draws
	mean, sd float64 // percent
}

// TransferChallenge measures a stand-in for the transfer challenge, whose images are not available. Features
// are learned from CIFAR-10's training images without labels, and machines are trained on 120 labeled images
// of the ten classes. The result says nothing about the published number: in the challenge the unlabeled
// images came from another data set, with other classes than the test set.
func (l *Lab) TransferChallenge() []TransferLine {
	p := l.Photographs()
	l.Row(record.Row{ID: "transfer", What: "test accuracy in the transfer challenge of the NIPS 2011 workshop, 120 labels",
		Published: record.Published(publishedTransfer, "%", inEnd), Data: p.Data,
		Rule: record.NoData("its images, a subset of Tiny Images, are not to be had: that set was withdrawn by its authors; a stand-in on CIFAR-10 is in the rows own-transfer")})
	base := l.Transfer(rawPixels)
	var out []TransferLine
	for _, k := range append(l.shown(l.transferKeys), rawPixels) {
		t := base
		if k != rawPixels {
			t = l.Transfer(k)
		}
		var d []float64
		for j := range t.Accuracy {
			d = append(d, 100*(t.Accuracy[j]-base.Accuracy[j]))
		}
		mean, sd := stat.MeanStdDev(d, nil)
		line := TransferLine{Features: string(k), Accuracy: fmt.Sprintf("%.1f ± %.1f %%", 100*t.Mean, 100*t.SD), mean: 100 * t.Mean, sd: 100 * t.SD}
		if k != rawPixels {
			line.Ahead = fmt.Sprintf("%.1f ± %.1f points", mean, sd)
		}
		out = append(out, line)
		if k == rawPixels {
			break // with 120 labels accuracies may be near chance
		}
		rule := record.AtLeast(10)
		if !p.Data.Generated && l.Size != record.Smoke {
			rule = record.AtLeast(100 * base.Mean)
		}
		l.Row(record.Row{ID: "own-transfer-" + k.slug(), What: fmt.Sprintf("stand-in for the challenge: test accuracy, %d labels, %s", len(p.Classes)*t.PerClass, k),
			Measured: record.Number(100*t.Mean, "%"), Rule: rule, Spread: 100 * t.SD, SpreadOf: fmt.Sprintf("standard deviation over %d draws", len(t.Accuracy)), Repeat: 1, Data: p.Data, Figure: "transfer",
			Reason: fmt.Sprintf("features learned without labels from images of the same classes; raw pixels %.1f %%, chance 10 %%", 100*base.Mean)})
	}
	// The notebook says that features improve on pixels.
	order := ""
	if i := slices.IndexFunc(out, func(t TransferLine) bool { return t.Features == string(S3C) }); i >= 0 {
		order = lab.Order{Names: []string{string(S3C), string(rawPixels)}, Values: [][]float64{{out[i].mean, out[len(out)-1].mean}}, Places: []string{""}, Unit: "%", Data: p.Data}.Note()
	}
	names, mean, top := []string{}, []float64{}, 0.0
	for _, t := range out {
		names, mean = append(names, t.Features), append(mean, t.mean)
		top = max(top, t.mean+t.sd)
	}
	f := figure.Bars("A stand-in for the challenge", names, []string{fmt.Sprintf("%d labels, mean of %d draws", len(p.Classes)*base.PerClass, l.transferDraws())}, [][]float64{mean})
	f.Y.Label.Text = "test accuracy, %"
	f.Y.Min, f.Y.Max = 0, 1.05*top
	for i, t := range out {
		f.Use(figure.Black).ErrorBars("", []float64{float64(i)}, []float64{t.mean}, []float64{t.sd})
	}
	l.Save("transfer", fmt.Sprintf("Not the challenge's data: features from the unlabelled training images, machines from %d labelled images of each of 10 classes, chosen %d times; bars: standard deviation. Data: %v.%s", base.PerClass, l.transferDraws(), p.Data, order),
		f)
	l.Rounded("transfer")
	return out
}
