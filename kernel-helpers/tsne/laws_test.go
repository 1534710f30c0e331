package tsne

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// TestAffinitiesLaws compares the affinities with the test's own. The test computes distances from differences, so an
// offset of the data does not change them. The data include far points, constant features and equal points. The test
// finds the precisions of the points by bisection on the logarithm.
func TestAffinitiesLaws(t *testing.T) {
	for seed := range uint64(trial.Count(150, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 86))
		n, d := 8+rng.IntN(10), 1+rng.IntN(3)
		X, name := trial.Features(rng, n, d)
		perplexity := 2 + 2*rng.Float64()
		if top := largest(X); top > 1e14 || top < 1e-10 {
			continue // refused
		}
		a, err := NewAffinities(t.Context(), X, &Options{Perplexity: perplexity, Neighbors: n - 1})
		what := fmt.Sprintf("seed %d, %d×%d, %s, perplexity %g", seed, n, d, name, perplexity)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		want := make([][]float64, n)
		ties := 0
		for i := range n {
			want[i] = make([]float64, n)
			d2, least := make([]float64, n), math.Inf(1)
			for j := range n {
				for k := range d {
					e := X.At(i, k) - X.At(j, k)
					d2[j] += e * e
				}
				if j != i {
					least = math.Min(least, d2[j])
				}
			}
			equal := 0
			for j := range n {
				if j != i && d2[j] == least {
					equal++
				}
			}
			if float64(equal) > perplexity {
				ties++
				for j := range n {
					if j != i && d2[j] == least {
						want[i][j] = 1 / float64(equal)
					}
				}
				continue
			}
			at := func(beta float64) (entropy float64) {
				s := 0.0
				for j := range n {
					want[i][j] = 0
					if j != i {
						want[i][j] = math.Exp(-beta * (d2[j] - least))
						s += want[i][j]
					}
				}
				for j, p := range want[i] {
					if want[i][j] = p / s; want[i][j] > 0 {
						entropy -= want[i][j] * math.Log(want[i][j])
					}
				}
				return entropy
			}
			lo, hi := -100.0, 100.0 // of log10 β
			for range 200 {
				if mid := (lo + hi) / 2; at(math.Pow(10, mid)) > math.Log(perplexity) {
					lo = mid
				} else {
					hi = mid
				}
			}
			at(math.Pow(10, lo))
		}
		if ties != a.Missed {
			t.Errorf("%s: Missed is %d, want %d", what, a.Missed, ties)
		}
		got := make([][]float64, n)
		for i := range n {
			got[i] = make([]float64, n)
			for c := a.Row[i]; c < a.Row[i+1]; c++ {
				got[i][a.Col[c]] = a.P[c]
			}
		}
		for i := range n {
			for j := range n {
				if p := (want[i][j] + want[j][i]) / 2 / float64(n); math.Abs(got[i][j]-p) > 1e-7*p+1e-10 {
					t.Errorf("%s: p(%d, %d) is %v, want %v", what, i, j, got[i][j], p)
				}
			}
		}
	}
}

// TestFitLaws: another unit and another origin of the data do not change the map. The data have few digits, so that
// their differences are exact. Five steps are enough; later the descent would have amplified the rounding of the start.
func TestFitLaws(t *testing.T) {
	for seed := range uint64(trial.Count(40, 1000)) {
		rng := rand.New(rand.NewPCG(seed, 96))
		n, d := 12+rng.IntN(10), 1+rng.IntN(4)
		X, Z := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
		s, shift := math.Ldexp(1, rng.IntN(41)-20), float64(rng.IntN(1<<20))
		for i := range n {
			for j := range d {
				v := float64(rng.IntN(256))
				X.Set(i, j, v)
				Z.Set(i, j, s*(v+shift*float64(j)))
			}
		}
		o := &Options{Perplexity: 3, Steps: 5, Seed: seed, Method: Method(rng.IntN(2)), Dimensions: 2 + rng.IntN(2)}
		what := fmt.Sprintf("seed %d, %d×%d, times %g, shift %g, %v in %d dimensions", seed, n, d, s, shift, o.Method, o.Dimensions)
		want, err := Fit(t.Context(), X, o)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		got, err := Fit(t.Context(), Z, o)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if !mat.EqualApprox(got.Y, want.Y, 1e-6*mat.Norm(want.Y, 2)) || math.Abs(got.KL-want.KL) > 1e-6*want.KL {
			t.Errorf("%s: another map: KL %v, want %v", what, got.KL, want.KL)
		}
	}
}
