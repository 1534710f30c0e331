package ica

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/pursuit"
)

// Method is a method of finding the most probable coefficients.
type Method int

const (
	// Pursuit is the noise-free limit: the smallest ‖s‖₁ with A s = x.
	Pursuit Method = iota
	// Lasso finds the exact MAP with Gaussian noise, by coordinate descent.
	Lasso
	// FISTA finds the same optimum by accelerated proximal gradient.
	FISTA
	// Gradient performs a fixed number of plain subgradient steps.
	Gradient
	// ReLUGradient performs a fixed number of gradient steps, and sets negative coefficients to 0 after each
	// step.
	ReLUGradient
)

// String returns the name of the method.
func (m Method) String() string {
	return [...]string{"basis pursuit", "lasso", "FISTA", "gradient", "ReLU gradient"}[m]
}

// InferOptions controls Infer. nil and the zero value mean basis pursuit, with a Scale of 1 and with coefficients of
// either sign.
type InferOptions struct {
	Method Method
	// NonNegative restricts Pursuit, Lasso and FISTA to s >= 0 (exponential prior). ReLUGradient always has
	// this restriction, and Gradient never has it.
	NonNegative bool
	// Scale is b of the prior exp(−|s|/b). 0 means 1.
	Scale float64
	// Noise is the standard deviation σ of the noise in each entry of x. 0 means 0.05. The objective of all methods
	// except Pursuit is ½‖x − As‖² + alpha‖s‖₁ with alpha = σ²/b.
	Noise float64
	// Step and MaxIterations are the step size and number of steps of the gradient
	// methods; MaxIterations also bounds the sweeps of Lasso and FISTA. 0 means the
	// defaults of package pursuit.
	Step          float64
	MaxIterations int
	// Tolerance is the relative duality gap of Lasso and FISTA. 0 means 1e-6. Learning is sensitive to
	// Tolerance, because a lasso that has not converged has too many nonzeros.
	Tolerance float64
	// Workers is the number of goroutines. 0 means GOMAXPROCS.
	Workers int
}

// Inference is the result of Infer.
type Inference struct {
	S         *mat.Dense // n×p
	Dual      *mat.Dense // m×p, Pursuit only: y with A'y a subgradient of ‖s‖₁
	Objective []float64  // objective of each sample: ‖s‖₁ for Pursuit, else ½‖x−As‖² + alpha‖s‖₁
	// Projected counts samples outside the cone of the columns (Pursuit with NonNegative only). Such samples have no
	// exact representation. They get the coefficients of approximately the nearest point of the cone.
	Projected int
}

// Infer returns the most probable coefficients of each column of X (m×p) in the basis A (m×n).
func Infer(ctx context.Context, A, X mat.Matrix, opt *InferOptions) (*Inference, error) {
	a, x := dense("Infer", "A", A), dense("Infer", "X", X)
	m, n := dims("Infer", "A", a)
	mx, _, err := points("Infer", "X", x)
	if err != nil {
		return nil, err
	}
	if mx != m {
		panic(shapeMismatch("Infer", "A", m, x))
	}
	var set InferOptions
	if opt != nil {
		set = *opt
	}
	if set.Method < 0 || set.Method > ReLUGradient {
		return nil, fmt.Errorf("ica: Infer: Method is %d, must be Pursuit to ReLUGradient", int(set.Method))
	}
	set.Scale = scaleOr1(set.Scale)
	if set.Noise == 0 {
		set.Noise = 0.05
	}
	if !(set.Scale > 0) || math.IsInf(set.Scale, 0) {
		return nil, fmt.Errorf("ica: Infer: Scale is %v, must be positive and finite", set.Scale)
	}
	if !(set.Noise > 0) || math.IsInf(set.Noise, 0) {
		return nil, fmt.Errorf("ica: Infer: Noise is %v, must be positive and finite", set.Noise)
	}
	alpha := set.Noise * set.Noise / set.Scale
	switch set.Method {
	case Lasso, FISTA:
		// Package sparseapprox would be faster, but here columns may vanish and alpha may be small. See
		// package pursuit.
		ls := &pursuit.LassoOptions{NonNegative: set.NonNegative, Tolerance: set.Tolerance, MaxIterations: set.MaxIterations, Workers: set.Workers}
		f := pursuit.Lasso
		if set.Method == FISTA {
			f = pursuit.FISTA
		}
		r, err := f(ctx, a, x, alpha, ls)
		if r == nil {
			return nil, err
		}
		return &Inference{S: r.S, Objective: r.Objective}, err
	case Gradient, ReLUGradient:
		r, err := pursuit.GradientDescent(ctx, a, x, alpha, &pursuit.GradientOptions{ReLU: set.Method == ReLUGradient, Step: set.Step, Steps: set.MaxIterations})
		if r == nil {
			return nil, err
		}
		if r.Status == ended.Diverged {
			return &Inference{S: r.S, Objective: r.Objective}, errInferDiverged
		}
		return &Inference{S: r.S, Objective: r.Objective}, err
	}
	r, err := pursuit.BasisPursuitBatch(ctx, a, x, &pursuit.PursuitOptions{NonNegative: set.NonNegative, Workers: set.Workers})
	if err != nil {
		return nil, err
	}
	out := &Inference{S: r.S, Dual: r.Dual, Objective: r.Objective}
	var outside []int
	for k, st := range r.Status {
		if st != ended.Converged {
			outside = append(outside, k)
		}
	}
	if len(outside) == 0 {
		return out, nil
	}
	if !set.NonNegative {
		return nil, fmt.Errorf("ica: Infer: sample %d is outside the range of A", outside[0])
	}
	// Finding the nearest point of the cone is a nonnegative least-squares problem, solved as a lasso with a
	// negligible penalty.
	out.Projected = len(outside)
	xo := mat.NewDense(m, len(outside), nil)
	var big float64
	for t, k := range outside {
		for i := range m {
			xo.Set(i, t, x.At(i, k))
			big = max(big, math.Abs(x.At(i, k)))
		}
	}
	norm := mat.Norm(a, 2)
	pr, err := pursuit.Lasso(ctx, a, xo, 1e-6*big*norm, &pursuit.LassoOptions{NonNegative: true, Tolerance: 1e-3, MaxIterations: 20000, Workers: set.Workers})
	if pr == nil {
		return nil, err
	}
	if ctx != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for t, k := range outside {
		out.Objective[k] = 0
		for j := range n {
			v := pr.S.At(j, t)
			out.S.Set(j, k, v)
			out.Objective[k] += v
		}
	}
	return out, nil
}

// errInferDiverged means that the fixed gradient steps were too long for A.
var errInferDiverged = errors.New("ica: Infer: the gradient steps diverged")
