package recovery

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"overcomplete/kernel-helpers/internal/trial"
)

func TestCoherence(t *testing.T) {
	// As lines, the three directions of a Mercedes star are 60 degrees apart; lengths do not matter.
	s := math.Sqrt(3) / 2
	B := mat.NewDense(2, 3, []float64{0, 2 * s, -s, 5, -1, -0.5})
	if mu := Coherence(B); math.Abs(mu-0.5) > 1e-15 {
		t.Errorf("μ = %v", mu)
	}
}

func TestGuaranteed(t *testing.T) {
	for mu, want := range map[float64]int{1: 0, 0.5: 1, 1.0 / 3: 1, 0.3: 2, 0.125: 4, 1.0 / 7: 3} {
		if k := Guaranteed(mu); k != want {
			t.Errorf("μ = %v: %d, want %d", mu, k, want)
		}
	}
}

// The curve agrees with another form: at the transition, D is the expected squared distance of a normal
// vector from the scaled subdifferential of ‖w‖₁ (D. Amelunxen and others, Living on the edge, 2014).
func TestTransition(t *testing.T) {
	for _, c := range []struct{ rho, signs float64 }{{0.1, 2}, {0.3, 2}, {0.5, 2}, {0.8, 2}, {0.3, 1}, {0.7, 1}} {
		rho := c.rho
		// Find δ for which ρδ is k/n: δ = min over τ of ρδ(1 + τ²) + (1 − ρδ) E(|g| − τ)₊² (for w >= 0: E(g − τ)₊²).
		lo, hi := 1e-6, 1.0
		for range 60 {
			delta := (lo + hi) / 2
			share, least := rho*delta, math.Inf(1)
			for tau := 0.0; tau < 6; tau += 0.001 {
				tail := c.signs * ((1+tau*tau)*distuv.UnitNormal.CDF(-tau) - tau*distuv.UnitNormal.Prob(tau))
				least = math.Min(least, share*(1+tau*tau)+(1-share)*tail)
			}
			if least < delta { // enough equations
				hi = delta
			} else {
				lo = delta
			}
		}
		curve := map[float64]func(float64) float64{1: TransitionNonNegative, 2: Transition}[c.signs]
		if got := curve(lo); math.Abs(got-rho) > 1e-4 {
			t.Errorf("%v signs: ρ(%v) = %v, want %v", c.signs, lo, got, rho)
		}
	}
}

// The closed form of E(|g| − τ)₊², which both forms use, equals the integral.
func TestTail(t *testing.T) {
	const tau = 0.7
	f := func(g float64) float64 { return 2 * (g - tau) * (g - tau) * distuv.UnitNormal.Prob(g) }
	want := quad.Fixed(f, tau, 12, 200, nil, 0)
	got := 2 * ((1+tau*tau)*distuv.UnitNormal.CDF(-tau) - tau*distuv.UnitNormal.Prob(tau))
	if math.Abs(got-want) > 1e-10 {
		t.Errorf("%v, integral %v", got, want)
	}
}

// TestCoherenceLaws: for atoms of any length and sign, Coherence agrees with a computation in 400 binary digits.
func TestCoherenceLaws(t *testing.T) {
	for seed := range uint64(trial.Count(300, 10000)) {
		rng := rand.New(rand.NewPCG(seed, 93))
		d, n := 2+rng.IntN(6), 2+rng.IntN(5)
		B := mat.NewDense(d, n, nil)
		for i := range d {
			for j := range n {
				B.Set(i, j, rng.NormFloat64())
			}
		}
		name := ""
		for j := range n {
			s := math.Ldexp(1, rng.IntN(2000)-1000)
			if j > 0 && rng.IntN(5) == 0 { // nearly the same atom
				for i := range d {
					B.Set(i, j, B.At(i, 0)*(1+1e-9*rng.NormFloat64()))
				}
				s = 1
			} else if rng.IntN(2) == 0 {
				for i := range d {
					B.Set(i, j, -s*B.At(i, j))
				}
			}
			name += fmt.Sprintf(" %g", s)
		}
		columns, want := trial.Columns(B), 0.0
		for i := range columns {
			for j := range i {
				root := trial.Mul(trial.Dot(columns[i], columns[i]), trial.Dot(columns[j], columns[j]))
				root.Sqrt(root)
				want = math.Max(want, math.Abs(trial.Float(trial.Quo(trial.Dot(columns[i], columns[j]), root))))
			}
		}
		if got := Coherence(B); math.Abs(got-want) > 1e-14 {
			t.Errorf("seed %d, %d×%d, times%s: %v, want %v", seed, d, n, name, got, want)
		}
	}
}
