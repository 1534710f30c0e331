package lecturepca

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/faces"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Paper is the name of the notebook and of the folder of results.
const Paper = "lecture-pca"

// Side is the height and width of the faces in pixels, as in the lecture.
const Side = 32

// A Lab runs the experiments of one notebook run (see package lab).
type Lab struct {
	lab.Lab
	// Computed on first use: the faces that the figures show, their axes, and the generated faces.
	faces     *FaceData
	model     *pca.Model
	generated *FaceData
}

// New begins a run at a size (smoke, lecture or full) with a seed.
func New(size string, seed uint64) (*Lab, error) {
	base, err := lab.Open(Paper, size, seed)
	if err != nil {
		return nil, err
	}
	return &Lab{Lab: base}, nil
}

func fit(ctx context.Context, X mat.Matrix, o *pca.Options) *pca.Model {
	m, err := pca.Fit(ctx, X, o)
	lab.Check(err)
	return m
}

// slides are the lecture's slides, each named by its heading.
const slides = lab.Source("the slide '%s'")

// FaceData is one set of faces.
type FaceData struct {
	X    *mat.Dense // faces × Side², 0 is black
	Name string
	Data record.Data
}

// Faces returns a copy of the faces that the figures show: the lecture's own if they are available,
// otherwise generated faces.
func (l *Lab) Faces() *FaceData { return l.faceSet().clone() }

// Generated returns a copy of the generated faces of this run's size.
func (l *Lab) Generated() *FaceData { return l.generatedSet().clone() }

func (f *FaceData) clone() *FaceData { return &FaceData{mat.DenseCopyOf(f.X), f.Name, f.Data} }

func (l *Lab) faceSet() *FaceData {
	if l.faces == nil {
		if c, err := courseFaces(); err == nil {
			l.faces = c
		} else {
			l.faces = l.generatedSet()
		}
	}
	return l.faces
}

// Model returns the PCA of Faces, with all axes.
func (l *Lab) Model() *pca.Model {
	if l.model == nil {
		l.model = fit(l.Context(), l.faceSet().X, nil)
	}
	return l.model
}

func (l *Lab) generatedSet() *FaceData {
	if l.generated == nil {
		n := l.Pick(250, 5000, 5000)
		s, err := synth.Faces(l.Context(), synth.FacesOptions{N: n, Size: Side, Noise: 0.02, Seed: l.Seed})
		lab.Check(err)
		l.generated = &FaceData{s.Images, "generated faces", record.Generated(fmt.Sprintf("%d faces of %d × %d", n, Side, Side))}
	}
	return l.generated
}

// courseFaces returns the lecture's faces.
func courseFaces() (*FaceData, error) {
	f, err := faces.Course()
	if err != nil {
		return nil, err
	}
	if f.Height != Side || f.Width != Side {
		return nil, fmt.Errorf("lecturepca: faces of %d × %d", f.Height, f.Width)
	}
	return &FaceData{f.X, "the course's faces", record.Real("5,000 faces of 32 × 32 of the machine-learning course")}, nil
}

// olivettiFaces returns the Olivetti faces, with blocks of 2 × 2 pixels averaged.
func olivettiFaces() (*FaceData, error) {
	f, err := faces.Olivetti()
	if err != nil {
		return nil, err
	}
	return &FaceData{lab.Shrink(f.X, f.Height, f.Width, f.Height/Side), "Olivetti faces", record.Real("400 Olivetti faces, 64 × 64 averaged to 32 × 32")}, nil
}

// How to get the sets of real faces. (The loaders' errors also say how, but they name a folder on this machine, which
// must not enter a record.)
const (
	getCourse   = "ex7faces.mat is not on this machine. It belongs to exercise 7 of the machine-learning course and has no official download of its own; put it in the folder named by OVERCOMPLETE_DATA"
	getOlivetti = "the Olivetti faces are not on this machine: run 'overcomplete data get olivetti', or put olivettifaces.mat in the folder named by OVERCOMPLETE_DATA"
)

// absentRule returns the rule of a row whose data set is missing. The argument hint says how to get the data.
// absentRule panics if err is an error other than data.ErrAbsent, because a damaged file must not look like a missing
// one.
func absentRule(err error, hint string) record.Rule {
	if !errors.Is(err, data.ErrAbsent) {
		lab.Check(err)
	}
	return record.NoData(hint)
}

// subtractMean returns a copy of X with the mean of each column subtracted.
func subtractMean(X *mat.Dense) *mat.Dense {
	n, d := X.Dims()
	out := mat.DenseCopyOf(X)
	for j := range d {
		mean := 0.0
		for i := range n {
			mean += X.At(i, j) / float64(n)
		}
		for i := range n {
			out.Set(i, j, X.At(i, j)-mean)
		}
	}
	return out
}

// maxDiff returns the largest absolute difference between corresponding elements of A and B.
func maxDiff(A, B mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(A, B)
	return math.Max(mat.Max(&d), -mat.Min(&d))
}

// decades widens a logarithmic vertical axis to whole powers of ten.
func decades(f *figure.Figure) *figure.Figure {
	f.LogY()
	f.Y.Min = math.Pow(10, math.Floor(math.Log10(f.Y.Min)+1e-9))
	f.Y.Max = math.Pow(10, math.Ceil(math.Log10(f.Y.Max)-1e-9))
	return f
}
