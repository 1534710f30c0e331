package tape

import (
	"fmt"
	"math"

	"overcomplete/kernel-helpers/internal/adam"
)

// An Optimizer changes parameters in the direction opposite to their gradients.
type Optimizer interface {
	// Step performs one step and sets the gradients to zero.
	Step(params []*Param)
}

// SGD is gradient descent: θ ← θ − rate · gradient. Step panics unless the rate is
// positive and finite.
type SGD struct {
	Rate float64 // 0 means 0.01
}

// Step performs one step and sets the gradients to zero.
func (o *SGD) Step(params []*Param) {
	rate := orDefault(o.Rate, 0.01)
	if !isPositive(rate) {
		panic(fmt.Sprintf("tape: SGD: the rate is %v, must be positive and finite", rate))
	}
	for _, p := range params {
		r, _ := p.X.Dims()
		for i := range r {
			x := p.X.RawRowView(i)
			for j, g := range p.Grad.RawRowView(i) {
				x[j] -= rate * g
			}
		}
	}
	Zero(params)
}

// Adam is the method of D. Kingma and J. Ba, Adam: a method for stochastic
// optimization (ICLR 2015), algorithm 1. One Adam serves one set of
// parameters. Rate may be changed between steps. Step panics unless Rate and
// Epsilon are positive and finite and both decays are between 0 and 1.
type Adam struct {
	Rate    float64 // α; 0 means 0.001
	Beta1   float64 // decay of the mean gradient; 0 means 0.9
	Beta2   float64 // decay of the mean squared gradient; 0 means 0.999
	Epsilon float64 // 0 means 1e-8

	t  int            // number of steps made
	of []adam.Moments // the moments of each parameter
}

// Step performs one step and sets the gradients to zero.
func (o *Adam) Step(params []*Param) {
	alpha, eps := orDefault(o.Rate, 0.001), orDefault(o.Epsilon, 1e-8)
	b1, b2 := orDefault(o.Beta1, 0.9), orDefault(o.Beta2, 0.999)
	if !isPositive(alpha) || !isPositive(eps) || !(b1 > 0 && b1 < 1) || !(b2 > 0 && b2 < 1) {
		panic(fmt.Sprintf("tape: Adam: rate %v, β1 %v, β2 %v, ε %v", alpha, b1, b2, eps))
	}
	if o.of == nil {
		o.of = make([]adam.Moments, len(params))
		for k, p := range params {
			o.of[k] = adam.New(Count([]*Param{p}))
		}
	}
	if len(params) != len(o.of) {
		panic(fmt.Sprintf("tape: Adam: %d parameters, but the previous step had %d", len(params), len(o.of)))
	}
	o.t++
	step := adam.Rule{Rest1: 1 - b1, Rest2: 1 - b2, Epsilon: eps}.At(o.t, alpha)
	for k, p := range params {
		a := o.of[k]
		r, c := p.X.Dims()
		if r*c != len(a.M) {
			panic(fmt.Sprintf("tape: Adam: parameter %s is not the one of the previous step", p.Name))
		}
		for i := range r {
			row := adam.Moments{M: a.M[i*c : (i+1)*c], V: a.V[i*c : (i+1)*c]}
			step.Take(p.X.RawRowView(i), p.Grad.RawRowView(i), row)
		}
	}
	Zero(params)
}

func isPositive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// orDefault returns v, or def if v is 0.
func orDefault(v, def float64) float64 {
	if v == 0 {
		return def
	}
	return v
}
