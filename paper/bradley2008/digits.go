package bradley2008

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/mnist"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Dimensions is the number of dimensions to which PCA reduces a digit (section 6.3.1).
const Dimensions = 180

// A Part is a set of digits after PCA: signals as columns, and their labels.
type Part struct {
	X *mat.Dense // Dimensions×N
	Y []int      // N
}

// N returns the number of digits.
func (p *Part) N() int { return len(p.Y) }

// First returns the first n digits. The result shares the memory of p.
func (p *Part) First(n int) *Part {
	n = min(n, p.N())
	return &Part{X: p.X.Slice(0, Dimensions, 0, n).(*mat.Dense), Y: p.Y[:n]}
}

// Digits is MNIST as the paper splits it: of the 60,000 training images, a random 10,000 are for validation. The
// remaining images are in random order, so that the first n are a random subset. The PCA axes are computed from the
// training part.
type Digits struct {
	Train, Validation, Test Part
	Mean                    []float64  // 784
	Axes                    *mat.Dense // 784×Dimensions
	TestPixels              *mat.Dense // N×784, the images of Test, with values from 0 to 1
	Data                    record.Data
}

// Side is the height and width of a digit in pixels.
const Side = 28

// Digits returns the digits of this run. At smoke size they are generated; at larger sizes they are from MNIST, and
// full size uses all of MNIST. If MNIST is missing, Digits panics at full size, and returns generated digits at lecture
// size.
func (l *Lab) Digits() *Digits {
	if l.digits == nil {
		l.digits = digitReader{&l.sharedState}.read()
	}
	return l.digits
}

// A digitReader reads the digits of a run, and splits them.
type digitReader struct{ *sharedState }

// counts returns the numbers of MNIST digits for training, validation and testing. There must be enough training
// digits for all disjoint subsets on which the tables train classifiers: see trainer.draws.
func (r digitReader) counts() (train, validation, test int) {
	return r.Pick(300, 4000, 50000), r.Pick(200, 1000, 10000), r.Pick(200, 2000, 10000)
}

// generatedCounts returns the sizes of the three parts for generated digits. The validation part is smaller than for
// MNIST, because it is coded in every epoch of back-propagation. This does no harm: no published claim is judged on
// generated digits.
func (r digitReader) generatedCounts() (train, validation, test int) {
	return r.Pick(300, 4000, 0), r.Pick(200, 500, 0), r.Pick(200, 2000, 0)
}

func (r digitReader) read() *Digits {
	if r.Pick(0, 1, 1) == 1 {
		m, err := mnist.Load()
		if err == nil {
			return r.cut(m)
		}
		if !errors.Is(err, data.ErrAbsent) {
			panic(err)
		}
		if r.Full() {
			panic(fmt.Errorf("bradley2008: the full size needs MNIST: %w", err))
		}
	}
	train, validation, test := r.generatedCounts()
	s, err := synth.Digits(r.Context(), synth.DigitsOptions{N: train + validation + test, Seed: r.Seed})
	lab.Check(err)
	d := &Digits{Data: record.Generated("digits")}
	rows := func(from, to int) *mat.Dense { return s.Images.Slice(from, to, 0, Side*Side).(*mat.Dense) }
	v := train + validation
	r.fit(d, rows(0, train), rows(train, v), rows(v, v+test), s.Labels[:train], s.Labels[train:v], s.Labels[v:])
	return d
}

// splitSeed is the seed of the split. It does not depend on the run's seed: otherwise a run with another seed
// could train on the digits on which the settings were validated.
const splitSeed = 2008

// splitMNIST returns the indices of the training images in random order: 10,000 for validation, and
// the rest.
func splitMNIST(m *mnist.Data) (held, rest []int) {
	order := rand.New(rand.NewPCG(splitSeed, 0)).Perm(m.Train.Len())
	return order[:10000], order[10000:]
}

func (r digitReader) cut(m *mnist.Data) *Digits {
	held, rest := splitMNIST(m)
	nTrain, nHeld, nTest := r.counts()
	held, rest = held[:nHeld], rest[:nTrain]
	test := rand.New(rand.NewPCG(splitSeed, 1)).Perm(m.Test.Len())[:nTest]
	d := &Digits{Data: record.Real("MNIST")}
	r.fit(d, m.Train.Rows(rest), m.Train.Rows(held), m.Test.Rows(test),
		classify.Labels(m.Train.Labels, rest), classify.Labels(m.Train.Labels, held), classify.Labels(m.Test.Labels, test))
	return d
}

// fit computes the PCA axes from the training images, and sets d's axes, mean and parts. For MNIST, the store keeps
// the axes that were computed from all 50,000 training images, so that the smaller sizes can use the bases of the full
// size.
func (r digitReader) fit(d *Digits, train, validation, test *mat.Dense, yt, yv, ys []int) {
	kept := r.store.Matrix(axesKey(digitsOf(d.Data, len(yt), r.Seed)), func() *mat.Dense {
		m, err := pca.Fit(r.Context(), train, &pca.Options{Components: Dimensions})
		lab.Check(err)
		out := mat.NewDense(Dimensions+1, Side*Side, nil) // the mean, then the axes
		out.SetRow(0, m.Mean)
		out.Slice(1, Dimensions+1, 0, Side*Side).(*mat.Dense).Copy(m.Components.T())
		return lab.Single(out)
	})
	d.Mean = kept.RawRowView(0)
	d.Axes = mat.DenseCopyOf(kept.Slice(1, Dimensions+1, 0, Side*Side).T())
	part := func(P *mat.Dense, y []int) Part { return Part{d.Project(P), slices.Clone(y)} }
	d.Train, d.Validation, d.Test = part(train, yt), part(validation, yv), part(test, ys)
	d.TestPixels = test
}

// Project turns images (N×784, 0 to 1) into signals Q'(x − mean) (Dimensions×N).
func (d *Digits) Project(pixels mat.Matrix) *mat.Dense {
	N, _ := pixels.Dims()
	var X mat.Dense
	X.Mul(d.Axes.T(), pixels.T()) // 180×784 · 784×N
	mean := mat.NewVecDense(Dimensions, nil)
	mean.MulVec(d.Axes.T(), mat.NewVecDense(Side*Side, d.Mean))
	for i := range Dimensions {
		row := X.RawRowView(i)
		for k := range N {
			row[k] -= mean.AtVec(i)
		}
	}
	return &X
}

// Pixels turns signals (Dimensions×N), or atoms, into pictures (N×784). If mean is true, the mean is added,
// and the pictures are digits; otherwise they are differences from the mean.
func (d *Digits) Pixels(X mat.Matrix, mean bool) *mat.Dense {
	var P mat.Dense
	P.Mul(X.T(), d.Axes.T()) // N×180 · 180×784
	if mean {
		N, _ := P.Dims()
		for k := range N {
			row := P.RawRowView(k)
			for i, m := range d.Mean {
				row[i] += m
			}
		}
	}
	return &P
}
