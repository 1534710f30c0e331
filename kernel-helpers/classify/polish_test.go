package classify

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
)

// polished returns a polisher for X, its variables at W and b, and W minus its means over the classes.
func polished(X *mat.Dense, y []int, W *mat.Dense, b []float64, alpha float64) (*polisher, []float64, *mat.Dense) {
	n, d := X.Dims()
	K := len(b)
	p := &polisher{x: compress(X), y: y, c: make([]float64, n), K: K, d: d, alpha: alpha, p: make([]float64, K), others: make([]float64, K), row: make([]float64, d+1)}
	for i := range p.c {
		p.c[i] = 1 / float64(n)
	}
	level := mat.NewDense(K, d, nil)
	level.Apply(func(k, j int, v float64) float64 { return v - mat.Sum(W.ColView(j))/float64(K) }, W)
	var u []float64
	for k := 1; k < K; k++ {
		for j := range d {
			u = append(u, W.At(k, j)-W.At(0, j))
		}
		u = append(u, b[k]-b[0])
	}
	return p, u, level
}

// TestPolisherDerivatives: the objective equals that of MaxentObjective, and the derivatives equal finite differences.
func TestPolisherDerivatives(t *testing.T) {
	for K := 2; K <= 4; K++ {
		X, y := blobs(20, 3, K, 1, uint64(K))
		b := make([]float64, K)
		for k := range b {
			b[k] = float64(k*k) / 5
		}
		p, u, level := polished(X, y, random(K, 3, 0.5, 7), b, 0.3)
		f := p.objective(u)
		want, _, _ := MaxentObjective(level, b, X, y, 0.3)
		near(t, "objective", f, want, 1e-14)
		g, H := p.derivatives(u)
		for q := range u {
			near(t, "gradient", g[q], derivative(&u[q], func() float64 { return p.objective(u) }), 1e-8)
			for r := range u {
				near(t, "second derivative", H.At(q, r), derivative(&u[q], func() float64 { g, _ := p.derivatives(u); return g[r] }), 1e-8)
			}
		}
	}
}

// TestPolisherBound: wherever a fit has ended, the bound is at least the distance from the minimum. FitMaxent finds the
// minimum, with a gap from a dual solution.
func TestPolisherBound(t *testing.T) {
	finite, close := 0, 0
	count := trial.Count(500, 10000)
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 102))
		K, n, d := 2+rng.IntN(3), 6+rng.IntN(10), 1+rng.IntN(3)
		X, y := blobs(n, d, K, 0.5+rng.Float64(), seed)
		alpha := math.Pow(10, -3*rng.Float64())
		best, err := FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: alpha, Classes: K, Gap: 1e-10})
		if err != nil {
			t.Fatal(seed, err)
		}
		m, err := FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: alpha, Classes: K, MaxIterations: 1 + rng.IntN(15)})
		if ended.Accept(err) != nil {
			t.Fatal(seed, err)
		}
		p, u, _ := polished(X, y, m.W, m.B, alpha)
		f := p.objective(u)
		gap, _ := p.bound(p.derivatives(u))
		if f-gap > best.Objective+1e-14 {
			t.Errorf("seed %d: objective %v, bound %v, minimum %v", seed, f, gap, best.Objective)
		}
		if !math.IsInf(gap, 1) {
			finite++
		}
		if gap < 2*(f-best.Objective)+1e-12 {
			close++
		}
	}
	t.Logf("of %d: %d finite, %d within twice the distance", count, finite, close)
	if finite < count/2 || close < count/2 {
		t.Errorf("of %d: %d finite, %d within twice the distance", count, finite, close)
	}
}
