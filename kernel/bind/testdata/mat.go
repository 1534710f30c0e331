package main

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"math/rand/v2"
)

// hilbert is a mat.Matrix whose methods are interpreted.
type hilbert struct{ n int }

func (h hilbert) Dims() (int, int)    { return h.n, h.n }
func (h hilbert) At(i, j int) float64 { return 1 / float64(i+j+1) }
func (h hilbert) T() mat.Matrix       { return mat.Transpose{Matrix: h} }

// half is a distuv.Rander.
type half struct{}

func (half) Rand() float64 { return 0.5 }

func Result() string {
	var out []string
	say := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }

	var p mat.Dense
	p.Mul(hilbert{2}, mat.NewDense(2, 1, []float64{6, 12}))
	say("%v", mat.Formatted(p.T(), mat.Squeeze()))
	say("%.3f", mat.Det(hilbert{2}))
	var eig mat.EigenSym
	ok := eig.Factorize(mat.NewSymDense(2, []float64{2, 1, 1, 2}), true)
	say("%v %.0f", ok, eig.Values(nil))
	var svd mat.SVD
	say("%v %v", svd.Factorize(hilbert{3}, mat.SVDThin), svd.Cond() > 500)

	say("%.4f", distuv.Normal{Mu: 0, Sigma: 1}.CDF(1))
	var r distuv.Rander = half{}
	say("%v", r.Rand())
	d := distuv.Laplace{Mu: 0, Scale: 1, Src: rand.NewPCG(1, 2)}
	xs := make([]float64, 2000)
	for i := range xs {
		xs[i] = d.Rand()
	}
	say("%v", math.Abs(stat.Variance(xs, nil)-2) < 0.4)

	problem := optimize.Problem{
		Func: func(x []float64) float64 { return (x[0]-3)*(x[0]-3) + 2*(x[1]+1)*(x[1]+1) },
	}
	problem.Grad = func(grad, x []float64) {
		fd.Gradient(grad, problem.Func, x, &fd.Settings{Formula: fd.Central})
	}
	res, err := optimize.Minimize(problem, []float64{0, 0}, nil, &optimize.BFGS{})
	say("%.3f %v %v", res.X, res.Status, err)

	a := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 2, 3, 4}}
	y := blas64.Vector{N: 2, Inc: 1, Data: make([]float64, 2)}
	blas64.Gemv(blas.NoTrans, 1, a, blas64.Vector{N: 2, Inc: 1, Data: []float64{1, 1}}, 0, y)
	say("%v %v", y.Data, floats.Sum(y.Data))
	say("%.1f", fourier.NewFFT(4).Coefficients(nil, []float64{1, 0, -1, 0}))
	say("%.4f", quad.Fixed(math.Sin, 0, math.Pi, 20, nil, 0))
	return strings.Join(out, "|")
}

// want: [12  7]|0.083|true [1 3]|true true|0.8413|0.5|true|[3.000 -1.000] GradientThreshold <nil>|[3 7] 10|[(0.0+0.0i) (2.0+0.0i) (0.0+0.0i)]|2.0000
