// Package recovery determines when the sparsest solution of x = Bw can be found: by theorems about the
// coherence of B, which hold for every w, and by the phase transition of random B, which holds for most w.
//
//	mu := recovery.Coherence(B)
//	k := recovery.Guaranteed(mu)     // any w with at most k nonzeros is found
//	rho := recovery.Transition(0.5)  // nonzeros per equation, with D = n/2 equations, at which L1 fails
//
// # What is computed
//
// Coherence computes μ = max |b_i·b_j| over different atoms, scaled to length 1. Every w with fewer than (1 +
// 1/μ)/2 nonzeros is found by orthogonal matching pursuit and by basis pursuit (J. Tropp, Greed is good:
// algorithmic results for sparse approximation, IEEE Transactions on Information Theory 50, 2004; for basis
// pursuit also D. Donoho and M. Elad, PNAS 100, 2003).
//
// Let B (D×n) have independent normal entries, and let w have k nonzeros. As D and n grow, the probability that min
// ‖w‖₁ subject to x = Bw recovers w tends to 1 if k/D is below ρ(D/n), and to 0 if it is above (D. Donoho and J.
// Tanner, Counting faces of randomly projected polytopes when the projection radically lowers dimension, Journal of the
// AMS 22, 2009). The curve is computed here by the formula of D. Donoho, A. Maleki and A. Montanari (Message-passing
// algorithms for compressed sensing, PNAS 106, 2009), which gives the same curve:
//
//	ρ(δ) = max over z ≥ 0 of (1 − (2/δ) g(z)) / (1 + z² − 2 g(z))    g(z) = (1 + z²) Φ(−z) − z φ(z)
//
// With both factors 2 of g(z) replaced by 1, the formula gives the curve for w >= 0.
//
// # Traps
//
// The transition is for a typical w with k nonzeros. Some w with fewer nonzeros are not found. At finite n
// the transition has a width of order 1/√n.
package recovery

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/given"
)

// Coherence returns μ of the columns of B (D×n). It panics if n is less than 2 or a column is 0.
func Coherence(B mat.Matrix) float64 {
	given.Args("recovery: Coherence", "B", B)
	_, n := B.Dims()
	if n < 2 {
		panic("recovery: Coherence: one atom has no other")
	}
	if err := ram.Check(fmt.Sprintf("the products of %d atoms", n), 8*float64(n)*float64(n)); err != nil {
		panic("recovery: Coherence: " + err.Error())
	}
	unit := mat.DenseCopyOf(B)
	for j := range n {
		c := unit.ColView(j).(*mat.VecDense)
		norm := mat.Norm(c, 2)
		if norm == 0 {
			panic(fmt.Sprintf("recovery: Coherence: atom %d is 0", j))
		}
		c.ScaleVec(1/norm, c)
	}
	var G mat.Dense
	G.Mul(unit.T(), unit)
	mu := 0.0
	for i := range n {
		for j := range i {
			mu = math.Max(mu, math.Abs(G.At(i, j)))
		}
	}
	return mu
}

// Guaranteed returns the largest k below (1 + 1/μ)/2. Every w with at most k nonzeros is found, by the theorem in the
// package's comment. Guaranteed panics for μ = 0, because with orthogonal atoms there is no limit.
func Guaranteed(mu float64) int {
	if !(mu > 0 && mu <= 1+1e-9) {
		panic(fmt.Sprintf("recovery: Guaranteed: coherence %v, must be above 0 and at most 1", mu))
	}
	return int(math.Ceil((1+1/mu)/2-1e-9)) - 1
}

// Transition returns ρ(δ) for 0 < δ < 1. If a random B has D = δn rows and n columns, and most w with k nonzeros are
// to be found by min ‖w‖₁, then k/D must not exceed ρ(δ).
func Transition(delta float64) float64 { return transition("Transition", delta, 2) }

// TransitionNonNegative is like Transition, for minimization over w >= 0.
func TransitionNonNegative(delta float64) float64 {
	return transition("TransitionNonNegative", delta, 1)
}

// transition returns ρ(delta) by the formula in the package's comment. signs is the number of signs that a nonzero may
// have: 2, or 1 for w >= 0.
func transition(name string, delta, signs float64) float64 {
	if !(delta > 0 && delta < 1) {
		panic(fmt.Sprintf("recovery: %s: δ = %v, must be between 0 and 1", name, delta))
	}
	rho := func(z float64) float64 {
		g := (1+z*z)*distuv.UnitNormal.CDF(-z) - z*distuv.UnitNormal.Prob(z)
		return (1 - signs/delta*g) / (1 + z*z - signs*g)
	}
	// There is one maximum: use a grid, then ternary search.
	best := 0.0
	for z := 0.05; z < 10; z += 0.05 {
		if rho(z) > rho(best) {
			best = z
		}
	}
	lo, hi := math.Max(0, best-0.05), best+0.05
	for hi-lo > 1e-12 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if rho(a) < rho(b) {
			lo = a
		} else {
			hi = b
		}
	}
	return rho((lo + hi) / 2)
}
