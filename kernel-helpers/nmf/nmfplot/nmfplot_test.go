package nmfplot

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/nmf"
)

func fit(t *testing.T, A mat.Matrix, o nmf.Options) *nmf.Model {
	t.Helper()
	r, err := nmf.Fit(context.Background(), A, &o)
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	return r
}

// noisy returns a product of two nonnegative factors with k components, plus noise.
func noisy(n, d, k int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	U, W := mat.NewDense(n, k, nil), mat.NewDense(d, k, nil)
	random := func(_, _ int, _ float64) float64 { return rng.Float64() }
	U.Apply(random, U)
	W.Apply(random, W)
	var A mat.Dense
	A.Mul(U, W.T())
	A.Apply(func(_, _ int, v float64) float64 { return v + 0.1*rng.Float64() }, &A)
	return &A
}

func TestFigures(t *testing.T) {
	A := noisy(30, 16, 3, 15)
	r := fit(t, A, nmf.Options{Components: 5, Method: nmf.ADMM})
	s, err := nmf.Consensus(context.Background(), A, &nmf.ConsensusOptions{Ranks: []int{2, 3, 4}, Runs: 5})
	if err != nil {
		t.Fatal(err)
	}
	cv, err := nmf.CrossValidate(context.Background(), A, &nmf.CVOptions{Ranks: []int{1, 2, 3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	for name, png := range map[string][]byte{"history": History(r).PNG(), "parts": Parts(r, 4, 4).PNG(), "cv": CrossValidation(cv).PNG(),
		"stability": Stability(s).PNG(), "consensus": Consensus(s, 4).PNG()} {
		if len(png) < 1000 {
			t.Errorf("%s has %d bytes", name, len(png))
		}
		if dir := os.Getenv("FIGURES"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for want, f := range map[string]func(){
		"nmfplot: Parts: W has 16 rows, pictures of 2×2 need 4": func() { Parts(r, 2, 2) },
		"nmfplot: Consensus: rank 7 is not one of [2 3 4]":      func() { Consensus(s, 7) },
	} {
		if got := panics.Value(f); got != want {
			t.Errorf("panic is %v, want %q", got, want)
		}
	}
}

// For an exact product the dual variables vanish, and so does the denominator of the dual residual. The
// history must still be drawn, for any ρ.
func TestPlotVanishingDual(t *testing.T) {
	A := mat.NewDense(5, 4, []float64{2, 1, 0, 0, 4, 2, 0, 0, 0, 0, 1, 3, 0, 0, 2, 6, 2, 1, 1, 3})
	for _, rho := range []float64{0, 0.1, 10, 1000} {
		r := fit(t, A, nmf.Options{Components: 2, Method: nmf.ADMM, Rho: rho})
		for _, s := range r.History {
			if math.IsInf(s.Primal, 0) || math.IsInf(s.Dual, 0) {
				t.Fatalf("ρ = %v, iteration %d: residuals %v and %v", rho, s.Iteration, s.Primal, s.Dual)
			}
		}
		if png := History(r).PNG(); len(png) < 1000 {
			t.Errorf("ρ = %v: %d bytes", rho, len(png))
		}
	}
	if x, y := dropNonPositive([]float64{1, 2, 3}, []float64{0, math.Inf(1), 5}); len(x) != 1 || x[0] != 3 || y[0] != 5 {
		t.Errorf("%v %v", x, y)
	}
}
