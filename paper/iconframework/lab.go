package iconframework

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/mnist"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Paper is the name of the notebook and of the folder of results.
const Paper = "i-con"

// Side is the height and width of the digits in pixels.
const Side = 28

// A Lab runs the experiments of one notebook run (see package lab).
type Lab struct {
	lab.Lab
	// These are computed on first use.
	pool     *Digits
	set      *Digits
	embedded []*MethodEmbedding
	net      *icon.ContrastResult
	// The figures of experiments that return a table.
	clusters, contrast *figure.Figure
}

// New begins a run at a size (smoke, lecture or full) with a seed.
func New(size string, seed uint64) (*Lab, error) {
	base, err := lab.Open(Paper, size, seed)
	if err != nil {
		return nil, err
	}
	return &Lab{Lab: base}, nil
}

// The post's part on I-Con has one heading.
const (
	post       = lab.Source("the post, section '%s'")
	motivation = "Motivation"
)

// Digits is a set of pictures of digits, with their labels.
type Digits struct {
	X      *mat.Dense // n×Side², 0 is paper, 1 is ink
	Labels []int
	Z      *mat.Dense // n×50 or less, principal components; nil for a pool
	Name   string
	Real   bool
}

// data returns the number and the source of the digits, for the rows of the results.
func (d *Digits) data() record.Data {
	n, _ := d.X.Dims()
	return record.Data{Name: fmt.Sprintf("%d %s", n, d.Name), Generated: !d.Real}
}

// allDigits returns all digits that a run may use: MNIST if available, otherwise generated digits.
func (l *Lab) allDigits() *Digits {
	if l.pool != nil {
		return l.pool
	}
	n := l.Pick(700, 5000, 60_000)
	m, err := mnist.Load()
	switch {
	case err == nil:
		l.pool = &Digits{X: m.Train.First(n), Labels: m.Train.Labels[:n], Name: "digits of MNIST", Real: true}
	case errors.Is(err, data.ErrAbsent):
		s := must.Get(synth.Digits(l.Context(), synth.DigitsOptions{N: min(n, 10_000), Size: Side, Balanced: true, Seed: l.Seed}))
		l.pool = &Digits{X: s.Images, Labels: s.Labels, Name: "generated digits"}
	default: // a damaged file must not look like a missing one
		panic(err)
	}
	return l.pool
}

// part returns the digits i of allDigits with from <= i < to, and their principal components.
func (l *Lab) part(from, to int) *Digits {
	a := l.allDigits()
	d := &Digits{X: a.X.Slice(from, to, 0, Side*Side).(*mat.Dense), Labels: a.Labels[from:to], Name: a.Name, Real: a.Real}
	k := min(50, to-from-1)
	d.Z = must.Get(pca.Fit(l.Context(), d.X, &pca.Options{Components: k, Seed: l.Seed})).Scores(d.X)
	return d
}

// Digits returns a copy of the digits that section 4 of the notebook embeds with every method.
func (l *Lab) Digits() *Digits {
	d := *l.digitSet()
	d.X, d.Z, d.Labels = mat.DenseCopyOf(d.X), mat.DenseCopyOf(d.Z), slices.Clone(d.Labels)
	return &d
}

func (l *Lab) digitSet() *Digits {
	if l.set == nil {
		l.set = l.part(0, l.Pick(150, 500, 1000))
	}
	return l.set
}

// relativeDistance returns the largest difference between corresponding elements of A and B, relative to B's largest
// element.
func relativeDistance(A, B mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(A, B)
	return largest(&d) / largest(B)
}

func largest(A mat.Matrix) float64 { return math.Max(mat.Max(A), -mat.Min(A)) }

// relativeError returns the relative difference of a from b.
func relativeError(a, b float64) float64 { return math.Abs(a-b) / math.Abs(b) }
