package ica

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// TestLaws: other units or origins of the mixtures, a permutation, or an invertible mixture of the mixtures changes
// only the signs and the order of the sources. (The random start is drawn in whitened coordinates, so these fits start
// elsewhere and may find the sources in another order.)
func TestLaws(t *testing.T) {
	a := mat.NewDense(3, 3, []float64{1, 0.5, -0.3, 0.2, 1, 0.7, -0.6, 0.4, 1})
	mix := NewMixture(a, Laplacian{}, 3000, 0, 11)
	with := func(f func(i, s int) float64) *mat.Dense {
		Y := mat.NewDense(3, 3000, nil)
		Y.Apply(func(i, s int, _ float64) float64 { return f(i, s) }, Y)
		return Y
	}
	x := mix.X.At
	for _, algorithm := range []Algorithm{Symmetric, Deflation} {
		for _, contrast := range []Contrast{Tanh, Cube} {
			o := FastICAOptions{Algorithm: algorithm, Contrast: contrast, Tolerance: 1e-13, MaxIterations: 5000}
			base, err := FitFastICA(t.Context(), mix.X, &o)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				what string
				X    *mat.Dense
			}{
				{"times 2^-300", with(func(i, s int) float64 { return math.Ldexp(x(i, s), -300) })},
				{"times 2^300", with(func(i, s int) float64 { return math.Ldexp(x(i, s), 300) })},
				{"each in its unit", with(func(i, s int) float64 { return x(i, s) * []float64{1e-9, 1, 1e12}[i] })},
				{"another origin", with(func(i, s int) float64 { return x(i, s) + []float64{1, -1e6, 7}[i] })},
				{"in another order", with(func(i, s int) float64 { return x((i+1)%3, s) })},
				{"mixed again", with(func(i, s int) float64 { return x(i, s) + 2*x((i+1)%3, s) })},
				{"mirrored", with(func(i, s int) float64 { return -x(i, s) })},
			} {
				r, err := FitFastICA(t.Context(), c.X, &o)
				what := fmt.Sprintf("algorithm %d, contrast %d, %s", algorithm, contrast, c.what)
				if err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				// E[s s'] of the two fits' sources is a permutation with signs. From another start, deflation finds other fixed
				// points. They differ by about the sampling error of 3,000 samples.
				tolerance := 1e-5
				if algorithm == Deflation {
					tolerance = 0.05
				}
				var P mat.Dense
				P.Mul(r.S, base.S.T())
				for i := range 3 {
					most := 0.0
					for j := range 3 {
						most = max(most, math.Abs(P.At(i, j))/3000)
					}
					if math.Abs(most-1) > tolerance {
						t.Errorf("%s: source %d has the correlation %v with its like", what, i, most)
					}
				}
			}
		}
	}
}

// TestIdentities uses mixtures in any units, far from 0, some of them constant, equal or nearly equal. Either
// FitFastICA says that the rank is too low, or these identities hold: W A = I; the sources are W (x − Mean), with mean
// 0, variance 1 and no correlation; A s + Mean are the mixtures.
func TestIdentities(t *testing.T) {
	refused, fitted := 0, 0
	for seed := range uint64(trial.Count(300, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 82))
		p, m := 30+rng.IntN(30), 1+rng.IntN(4)
		F, name := trial.Features(rng, p, m) // a sample per row
		X := mat.DenseCopyOf(F.T())
		o := FastICAOptions{Algorithm: Algorithm(rng.IntN(2)), Contrast: Contrast(rng.IntN(2)), MaxIterations: 20, Seed: seed}
		if rng.IntN(2) == 0 {
			o.Components = 1 + rng.IntN(m)
		}
		what := fmt.Sprintf("seed %d, %d mixtures, %d samples, %s, %+v", seed, m, p, name, o)
		r, err := FitFastICA(t.Context(), X, &o)
		if r == nil {
			refused++
			if !strings.Contains(err.Error(), "rank") {
				t.Errorf("%s: %v", what, err)
			}
			continue
		}
		fitted++
		k, _ := r.S.Dims()
		var I, S, back mat.Dense
		I.Mul(r.W, r.A)
		S.Mul(r.S, r.S.T())
		for i := range k {
			mean := mat.Sum(r.S.RowView(i)) / float64(p)
			if math.Abs(mean) > 1e-3 { // of the standard deviation 1: a row far from 0 has few digits
				t.Errorf("%s: source %d has the mean %v", what, i, mean)
			}
			for j := range k {
				want := 0.0
				if i == j {
					want = 1
				}
				if math.Abs(I.At(i, j)-want) > 1e-6 || math.Abs(S.At(i, j)/float64(p)-want) > 1e-3 {
					t.Errorf("%s: (WA)[%d, %d] is %v, E[ss'] %v", what, i, j, I.At(i, j), S.At(i, j)/float64(p))
				}
			}
		}
		back.Mul(r.A, r.S)
		for i := range m {
			if k < m {
				break
			}
			for s := range p {
				if e := math.Abs(back.At(i, s) + r.Mean[i] - X.At(i, s)); e > 1e-6*mat.Norm(X.RowView(i), math.Inf(1)) {
					t.Errorf("%s: mixture %d of sample %d is off by %g", what, i, s, e)
				}
			}
		}
	}
	t.Logf("%d fitted, %d refused", fitted, refused)
	if fitted < 50 || refused < 10 {
		t.Errorf("%d fitted, %d refused", fitted, refused)
	}
}
