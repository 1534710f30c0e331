package nmfimplicit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/faces"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Paper is the name of the notebook and of the folder of results.
const Paper = "nmf-implicit"

// Side is the height and width of the faces in pixels.
const Side = 32

// A Lab runs the experiments of one notebook run (see package lab).
type Lab struct {
	lab.Lab
	// The faces and their factorization, computed on first use.
	faces *faceSet
	parts *nmf.Model
}

// New begins a run of the given size (smoke, lecture or full) with the given seed.
func New(size string, seed uint64) (*Lab, error) {
	base, err := lab.Open(Paper, size, seed)
	if err != nil {
		return nil, err
	}
	return &Lab{Lab: base}, nil
}

// The blog post and its sections.
const (
	post       = lab.Source("the section '%s'")
	motivation = "Motivation"
	section    = "Nonnegative matrix factorization"
	implicitly = "Implicit differentiation of NMF block with Jaxopt"
)

// faceSet is a set of faces.
type faceSet struct {
	X    *mat.Dense // n × Side², 0 is black
	Data record.Data
}

// Faces returns a copy of the faces of this run, n × 1024: the Olivetti photographs if they are
// on this machine and the run is not a smoke run, and generated faces otherwise.
func (l *Lab) Faces() *mat.Dense { return mat.DenseCopyOf(l.set().X) }

func (l *Lab) set() *faceSet {
	if l.faces != nil {
		return l.faces
	}
	if l.Size != record.Smoke {
		f, err := faces.Olivetti()
		switch {
		case err == nil:
			l.faces = &faceSet{lab.Shrink(f.X, f.Height, f.Width, f.Height/Side), record.Real("400 Olivetti faces, 64 × 64 averaged to 32 × 32")}
			return l.faces
		case !errors.Is(err, data.ErrAbsent): // a damaged file must not look like a missing one
			lab.Check(err)
		}
	}
	n := l.Pick(120, 400, 400)
	s := must.Get(synth.Faces(l.Context(), synth.FacesOptions{N: n, Size: Side, Seed: l.Seed}))
	l.faces = &faceSet{s.Images, record.Generated(fmt.Sprintf("%d faces of %d × %d", n, Side, Side))}
	return l.faces
}

// Parts returns the factorization of the faces of this run. The experiments on faces share it. It is computed on the
// first call.
func (l *Lab) Parts() *nmf.Model {
	if l.parts == nil {
		l.parts = fit(l.Context(), l.set().X, &nmf.Options{Components: l.Pick(16, 25, 36), MaxIterations: l.Pick(150, 150, 800), Tolerance: 1e-7})
	}
	return l.parts
}

// fit calls nmf.Fit and panics on an error. A fit that runs out of iterations does not count as an error; the rows
// report its residual or its status instead.
func fit(ctx context.Context, A mat.Matrix, o *nmf.Options) *nmf.Model {
	return must.Accept(nmf.Fit(ctx, A, o))
}

// product returns UW'.
func product(U, W mat.Matrix) *mat.Dense {
	var P mat.Dense
	P.Mul(U, W.T())
	return &P
}

// loss returns ½‖A − UW'‖_F².
func loss(A, U, W mat.Matrix) float64 {
	R := product(U, W)
	R.Sub(A, R)
	e := mat.Norm(R, 2)
	return e * e / 2
}

// coefficients returns the U ≥ 0 (n×k) that minimizes ‖A − UW'‖, for A (n×d) and W (d×k). It solves the nonnegative
// least squares problem of each row exactly.
func coefficients(ctx context.Context, A, W mat.Matrix, method nnls.Method) *mat.Dense {
	r := must.Get(nnls.Solve(ctx, W, A.T(), &nnls.Options{Method: method}))
	return mat.DenseCopyOf(r.X.T())
}

// relativeDistance returns ‖A − B‖_F/‖B‖_F.
func relativeDistance(A, B mat.Matrix) float64 {
	var D mat.Dense
	D.Sub(A, B)
	return mat.Norm(&D, 2) / mat.Norm(B, 2)
}

// largest returns the largest absolute value.
func largest(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = math.Max(m, math.Abs(x))
	}
	return m
}

// stream returns a random number generator that depends only on the run's seed and on the given number. Experiments use
// different numbers, so that their draws are independent.
func (l *Lab) stream(number uint64) *rand.Rand { return rand.New(rand.NewPCG(l.Seed, number)) }

// drawNormal draws an r×c matrix of standard normal numbers.
func drawNormal(rng *rand.Rand, r, c int) *mat.Dense {
	m := mat.NewDense(r, c, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
	return m
}

// drawSparse draws an r×c matrix. The argument zeros is the expected share of elements that are 0; the other elements
// are between 0.2 and 1.2.
func drawSparse(rng *rand.Rand, r, c int, zeros float64) *mat.Dense {
	m := mat.NewDense(r, c, nil)
	m.Apply(func(_, _ int, _ float64) float64 {
		if rng.Float64() < zeros {
			return 0
		}
		return 0.2 + rng.Float64()
	}, m)
	return m
}

// drawNoisy returns an n×d matrix: the product of two sparse factors with k columns, plus much noise. Elements below
// 0.01 are set to 0.01. For such data some constraints are active: the factors of a solution have zeros.
func drawNoisy(rng *rand.Rand, n, d, k int) *mat.Dense {
	A := product(drawSparse(rng, n, k, 0.5), drawSparse(rng, d, k, 0.5))
	A.Apply(func(_, _ int, v float64) float64 { return math.Max(0.01, v+0.4*rng.NormFloat64()) }, A)
	return A
}
