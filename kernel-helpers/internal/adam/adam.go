// Package adam implements the arithmetic of Adam: D. P. Kingma and J. Ba, Adam: a method
// for stochastic optimization (ICLR 2015), algorithm 1.
//
//	m ← β₁m + (1 − β₁)g,   v ← β₂v + (1 − β₂)g²
//	x ← x − α m̂/(√v̂ + ε),   m̂ = m/(1 − β₁^t),   v̂ = v/(1 − β₂^t)
package adam

import "math"

// Moments holds m and v for a group of parameters. Both start at 0.
type Moments struct{ M, V []float64 }

// New returns the initial moments of n parameters.
func New(n int) Moments { return Moments{make([]float64, n), make([]float64, n)} }

// A Rule holds the constants of Adam: Rest1 = 1 − β₁, Rest2 = 1 − β₂ and ε. The algorithm also needs β₁ and β₂, and
// computes them from these fields. With Rest1 = 0.1, the result 1 − 0.1 is exactly the float64 number 0.9. The other
// direction is less accurate: 1 − 0.9 is not exactly the number 0.1.
type Rule struct{ Rest1, Rest2, Epsilon float64 }

// Default is the rule of the paper.
var Default = Rule{Rest1: 0.1, Rest2: 0.001, Epsilon: 1e-8}

// A Step holds the numbers of one step that are the same for all parameters.
type Step struct {
	Rule
	rate   float64 // α
	b1, b2 float64 // β₁, β₂
	c1, c2 float64 // 1 − β₁^t, 1 − β₂^t
}

// At returns step number t, with the given step size. Steps are numbered from 1.
func (r Rule) At(t int, rate float64) Step {
	b1, b2 := 1-r.Rest1, 1-r.Rest2
	return Step{r, rate, b1, b2, 1 - math.Pow(b1, float64(t)), 1 - math.Pow(b2, float64(t))}
}

// Take updates the moments a with the gradient g, and moves x by one step.
func (s Step) Take(x, g []float64, a Moments) {
	for i, v := range g {
		a.M[i] = s.b1*a.M[i] + s.Rest1*v
		a.V[i] = s.b2*a.V[i] + s.Rest2*v*v
		x[i] -= s.rate * (a.M[i] / s.c1) / (math.Sqrt(a.V[i]/s.c2) + s.Epsilon)
	}
}
