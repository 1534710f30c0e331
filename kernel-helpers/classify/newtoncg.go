package classify

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"overcomplete/kernel-helpers/ended"
)

// newtonCG minimizes the objective of a Maxent by Newton's method. Conjugate gradients solve the systems for the steps
// roughly, and more exactly near the minimum, so that no matrix of second derivatives is needed (J. Nocedal and S. Wright,
// Numerical Optimization, algorithm 7.1). It continues where L-BFGS has ended. L-BFGS takes thousands of steps if the
// features have different sizes, or means that are far from 0. newtonCG solves the systems for features with mean 0, in
// units in which all curvatures are about 1.
type newtonCG struct {
	work  *maxentWork
	alpha float64
	mean  []float64 // d: means of the features
	unit  []float64 // d: squares of the units
	probs []float64 // n×K: P at the last argument of value
	near  func(theta, g []float64, f float64) bool
	each  func(f float64)
}

// mostProducts is the largest number of products with the second derivatives. Each takes about as long as a step of
// L-BFGS.
const mostProducts = 1000

func newNewtonCG(w *maxentWork, alpha float64) *newtonCG {
	n, _ := w.X.dims()
	mean, variance := w.X.moments()
	for j, v := range variance {
		variance[j] = 1 / (v/4 + alpha)
	}
	return &newtonCG{work: w, alpha: alpha, mean: mean, unit: variance, probs: make([]float64, n*w.K)}
}

// precondition stores in z the product of r and T D T', where D has the squares of the units, and T turns weights for
// features with mean 0 into weights for the given features: b = c − w'mean.
func (s *newtonCG) precondition(z, r []float64) {
	K, d := s.work.K, s.work.d
	for k := range K {
		row, rb := z[k*d:(k+1)*d], r[K*d+k]
		floats.AddScaledTo(row, r[k*d:(k+1)*d], -rb, s.mean)
		floats.Mul(row, s.unit)
		z[K*d+k] = 4*rb - floats.Dot(row, s.mean)
	}
}

// value returns the objective at theta, stores its gradient in g, and keeps the probabilities for hessian.
func (s *newtonCG) value(theta, g []float64) float64 {
	w := s.work
	return w.sum(theta, g, s.alpha, func(z []float64, i int) float64 {
		loss := crossEntropy(z, w.y[i])
		p := s.probs[i*w.K : (i+1)*w.K]
		copy(p, z)
		p[w.y[i]]++
		return loss
	})
}

// hessian stores in out the product of v and the matrix of second derivatives at the theta of the last call to value.
// If v gives the point x the scores z', the derivative of P(k) in the direction v is P(k) (z'_k − Σ_l P(l) z'_l).
func (s *newtonCG) hessian(v, out []float64) {
	w := s.work
	w.sum(v, out, s.alpha, func(z []float64, i int) float64 {
		p := s.probs[i*w.K : (i+1)*w.K]
		mean := floats.Dot(p, z)
		for k := range z {
			z[k] = p[k] * (z[k] - mean)
		}
		return 0
	})
}

// run improves theta until near reports true, or until mostProducts is reached. It returns the objective,
// its gradient, and why it ended.
func (s *newtonCG) run(ctx context.Context, theta []float64) (f float64, g []float64, status ended.Status) {
	m := len(theta)
	g = make([]float64, m)
	step, r, z, p, Hp := make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	f = s.value(theta, g)
	before := 0.0 // g'M⁻¹g one step earlier, where M⁻¹ is the matrix of precondition
	for products := 0; products < mostProducts; {
		if ctx.Err() != nil {
			return f, g, ended.Interrupted
		}
		if s.near(theta, g, f) {
			return f, g, ended.Converged
		}
		// Solve H·step = −g.
		clear(step)
		floats.ScaleTo(r, -1, g)
		s.precondition(z, r)
		copy(p, z)
		rz := floats.Dot(r, z)
		// Two digits are enough far from the minimum, and six near it. More would be lost to rounding.
		enough := rz * math.Min(0.01, math.Max(1e-12, rz/before))
		before = rz
		for range min(200, mostProducts-products) {
			if ctx.Err() != nil {
				return f, g, ended.Interrupted
			}
			s.hessian(p, Hp)
			products++
			curvature := floats.Dot(p, Hp)
			if !(curvature > 0) {
				break
			}
			floats.AddScaled(step, rz/curvature, p)
			floats.AddScaled(r, -rz/curvature, Hp)
			s.precondition(z, r)
			next := floats.Dot(r, z)
			if next <= enough {
				break
			}
			floats.AddScaledTo(p, z, next/rz, p)
			rz = next
		}
		slope := floats.Dot(g, step)
		if !(slope < 0) {
			return f, g, ended.NoProgress
		}
		// Near the minimum rounding hides the decrease of f. The gradient then still shows whether a step helps.
		hidden := -slope <= 1e-12*math.Abs(f)
		trial := r
		for t := 1.0; ; t /= 2 {
			floats.AddScaledTo(trial, theta, t, step)
			h := s.value(trial, z)
			if hidden {
				s.precondition(p, z)
				if floats.Dot(p, z) > before/4 {
					return s.value(theta, g), g, ended.NoProgress
				}
			}
			if hidden || h <= f+1e-4*t*slope {
				f = h
				break
			}
			if t < 1e-10 {
				return s.value(theta, g), g, ended.NoProgress
			}
		}
		copy(theta, trial)
		copy(g, z)
		s.each(f)
	}
	return f, g, ended.IterationLimit
}
