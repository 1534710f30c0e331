package taskdict

import (
	"math"

	"overcomplete/kernel-helpers/internal/adam"
)

// A Method is a rule for updating B and θ by their gradients.
type Method int

const (
	// Adam is the method of D. P. Kingma and J. Ba, Adam: a method for stochastic
	// optimization, ICLR 2015.
	Adam Method = iota
	// SGD is the paper's method: a plain gradient step.
	SGD
)

// String returns the name of the method.
func (m Method) String() string {
	if m == SGD {
		return "SGD"
	}
	return "Adam"
}

// A Decay specifies how the step size falls over the steps t = 0, 1, ..., T − 1.
type Decay int

const (
	// InverseRoot is the paper's η ∝ 1/√t: η/√(1 + t/t₀), with t₀ the number of steps per epoch.
	InverseRoot Decay = iota
	// ToZero decays linearly to zero: η(1 − t/T).
	ToZero
	// Constant keeps η.
	Constant
)

func (d Decay) factor(t, perEpoch, total int) float64 {
	switch d {
	case InverseRoot:
		return 1 / math.Sqrt(1+float64(t)/float64(perEpoch))
	case ToZero:
		return 1 - float64(t)/float64(total)
	}
	return 1
}

// step updates x by one step against the gradient g; the step size is rate. t is the number of steps made before this
// one; a holds Adam's moments for x.
func (m Method) step(x, g []float64, a adam.Moments, rate float64, t int) {
	if m == Adam {
		adam.Default.At(t+1, rate).Take(x, g, a)
		return
	}
	for i, v := range g {
		x[i] -= rate * v
	}
}
