package icon

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// perplexityP returns p(j|i) from differences of coordinates, with widths by bisection on the logarithm.
func perplexityP(X mat.Matrix, perplexity float64) *mat.Dense {
	n, d := X.Dims()
	P := mat.NewDense(n, n, nil)
	for i := range n {
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
		entropy := func(logBeta float64) (h float64) {
			s := 0.0
			for j := range n {
				v := 0.0
				if j != i {
					v = math.Exp(-math.Exp(logBeta) * (d2[j] - least))
				}
				P.Set(i, j, v)
				s += v
			}
			for j := range n {
				v := P.At(i, j) / s
				P.Set(i, j, v)
				if v > 0 {
					h -= v * math.Log(v)
				}
			}
			return h
		}
		lo, hi := -200.0, 200.0
		for range 200 {
			if mid := (lo + hi) / 2; entropy(mid) > math.Log(perplexity) {
				lo = mid
			} else {
				hi = mid
			}
		}
	}
	return P
}

// TestPerplexityLaws compares p(j|i) with values that the test computes from differences of coordinates, for features
// with any units and origins, also with constant and equal features and with a far point.
func TestPerplexityLaws(t *testing.T) {
	refused := 0
	count := trial.Count(150, 5000)
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 99))
		n, d := 8+rng.IntN(10), 1+rng.IntN(3)
		X, name := trial.Features(rng, n, d)
		perplexity := 2 + 2*rng.Float64()
		what := fmt.Sprintf("seed %d, %d×%d, %s, perplexity %g", seed, n, d, name, perplexity)
		p, err := PerplexityP(X, perplexity)
		if err != nil { // points with too many equal neighbors
			refused++
			continue
		}
		want := perplexityP(X, perplexity)
		for i := range n {
			for j := range n {
				if math.Abs(p.P.At(i, j)-want.At(i, j)) > 1e-7 {
					t.Errorf("%s: p(%d|%d) is %v, want %v", what, j, i, p.P.At(i, j), want.At(i, j))
				}
			}
		}
	}
	if refused > count/4 {
		t.Errorf("%d of %d refused", refused, count)
	}
}

// TestFitLaws fits by the methods that compare points by distances. In another unit of the data (a power of two) the
// embedding is the same to the last bit, except for PCA, whose embedding is in the unit of the data. Another origin
// changes the embedding only by rounding. So does a constant feature, and a feature that is split into two copies, each
// divided by √2. The data have few digits, so that a shift is exact. The steps are few, because a descent amplifies
// rounding.
func TestFitLaws(t *testing.T) {
	for seed := range uint64(trial.Count(10, 200)) {
		rng := rand.New(rand.NewPCG(seed, 100))
		n, d := 12+rng.IntN(20), 2+rng.IntN(3)
		X := mat.NewDense(n, d, nil)
		X.Apply(func(_, _ int, _ float64) float64 { return math.Round(64 * rng.NormFloat64()) }, X)
		for _, method := range []string{"SNE", "t-SNE", "t-SNE by rows", "PCA", "Laplacian eigenmaps", "K-means"} {
			fit := func(X mat.Matrix) *mat.Dense {
				r, err := FitMethod(t.Context(), X, nil, method, &FitOptions{Steps: 5, Seed: seed, Clusters: 3})
				if err != nil {
					t.Fatalf("seed %d, %s: %v", seed, method, err)
				}
				return r.Embedding
			}
			base := fit(X)
			check := func(how string, got *mat.Dense, tolerance float64) {
				t.Helper()
				var E mat.Dense
				E.Sub(got, base)
				if !(mat.Norm(&E, 2) <= tolerance*mat.Norm(base, 2)) {
					t.Errorf("seed %d, %d×%d, %s, %s: the embeddings differ by %g of their size", seed, n, d, method, how, mat.Norm(&E, 2)/mat.Norm(base, 2))
				}
			}
			var Y mat.Dense
			for _, e := range []int{-30, 1, 30} {
				Y.Scale(math.Ldexp(1, e), X)
				Z := fit(&Y)
				if method == "PCA" {
					Z.Scale(math.Ldexp(1, -e), Z)
				}
				check(fmt.Sprintf("times 2^%d", e), Z, 0)
			}
			Y.Apply(func(_, j int, v float64) float64 { return v + 1e6*float64(j+1) }, X)
			Z := fit(&Y)
			if method == "PCA" { // coordinates are W'x, not W'(x − mean)
				base, Z = centered(base), centered(Z)
			}
			check("far from 0", Z, 1e-6)
			if method == "PCA" {
				continue // W begins with d rows
			}
			W := mat.DenseCopyOf(X.Grow(0, 2))
			for i := range n {
				W.Set(i, d, 1e6)
				W.Set(i, d+1, X.At(i, 0)/math.Sqrt2)
				W.Set(i, 0, X.At(i, 0)/math.Sqrt2)
			}
			check("a constant and a divided feature", fit(W), 1e-6)
		}
	}
}
