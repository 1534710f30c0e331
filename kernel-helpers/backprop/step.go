package backprop

import "math"

// Method is the rule of a step.
type Method int

const (
	// Adam is that of D. P. Kingma and J. Ba, Adam: a method for stochastic
	// optimization, ICLR 2015.
	Adam Method = iota
	// SGD is the paper's: a plain step against the gradient.
	SGD
)

// String names the method.
func (m Method) String() string {
	if m == SGD {
		return "SGD"
	}
	return "Adam"
}

// Decay says how the step size falls with the steps t = 0, 1, ... of T in all.
type Decay int

const (
	// InverseRoot is the paper's η ∝ 1/√t: η/√(1 + t/t₀), t₀ the steps of an epoch.
	InverseRoot Decay = iota
	// ToZero goes to zero in a straight line: η(1 − t/T).
	ToZero
	// Constant keeps η.
	Constant
)

func (d Decay) at(t, perEpoch, total int) float64 {
	switch d {
	case InverseRoot:
		return 1 / math.Sqrt(1+float64(t)/float64(perEpoch))
	case ToZero:
		return 1 - float64(t)/float64(total)
	}
	return 1
}

// moments is Adam's memory of one group of parameters.
type moments struct{ M, V []float64 }

func newMoments(n int) moments { return moments{make([]float64, n), make([]float64, n)} }

// step moves x against the gradient g; t counts from 0.
func (a moments) step(method Method, x, g []float64, rate float64, t int) {
	if method == SGD {
		for i, v := range g {
			x[i] -= rate * v
		}
		return
	}
	const b1, b2, epsilon = 0.9, 0.999, 1e-8
	c1, c2 := 1-math.Pow(b1, float64(t+1)), 1-math.Pow(b2, float64(t+1))
	for i, v := range g {
		a.M[i] = b1*a.M[i] + (1-b1)*v
		a.V[i] = b2*a.V[i] + (1-b2)*v*v
		x[i] -= rate * (a.M[i] / c1) / (math.Sqrt(a.V[i]/c2) + epsilon)
	}
}
