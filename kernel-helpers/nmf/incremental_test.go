package nmf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

// divergences returns options for losses that mini-batches treat in the same way, with and without penalties.
func divergences() map[string]Options {
	p := Penalty{L1: 0.05, L2: 0.1}
	return map[string]Options{
		"KL":               {Loss: KL},
		"KL, L1":           {Loss: KL, PenaltyU: Penalty{L1: 0.1}, PenaltyW: Penalty{L1: 0.2}},
		"IS":               {Loss: ItakuraSaito},
		"IS, penalties":    {Loss: ItakuraSaito, PenaltyU: p, PenaltyW: p},
		"β -0.5":           {Loss: BetaDivergence, Beta: -0.5},
		"β 0.5":            {Loss: BetaDivergence, Beta: 0.5},
		"β 1.5":            {Loss: BetaDivergence, Beta: 1.5},
		"β 1.5, penalties": {Loss: BetaDivergence, Beta: 1.5, PenaltyU: p, PenaltyW: p},
		"β 2":              {Loss: BetaDivergence, Beta: 2},
		"β 3":              {Loss: BetaDivergence, Beta: 3},
		"β 3, penalties":   {Loss: BetaDivergence, Beta: 3, PenaltyU: p, PenaltyW: p},
	}
}

// positive returns a matrix without zeros.
func positive(n, d, k int, seed uint64) *mat.Dense {
	A := lowRank(n, d, k, 0.3, 0.2, seed)
	A.Apply(func(_, _ int, v float64) float64 { return v + 0.02 }, A)
	return A
}

// TestOneBatch: with one batch that has all rows, there is only one majorizer, and its minimum is the update of all
// rows at once.
func TestOneBatch(t *testing.T) {
	A := positive(40, 25, 3, 3)
	for name, o := range divergences() {
		o.Components, o.Method, o.MaxIterations, o.Tolerance, o.Seed = 4, Multiplicative, 15, -1, 2
		for _, init := range []Init{Random, NNDSVDa} {
			o.Init, o.Batch, o.Inner = init, 0, 0
			want := fit(t, A, o)
			o.Batch, o.Inner = 40, 1
			got := fit(t, A, o)
			if d := maxDiff(got.W, want.W); d > 1e-10*mat.Max(want.W) {
				t.Errorf("%s, %v: W differs by %g", name, init, d)
			}
			for i, s := range want.History {
				if v := got.History[i].Objective; math.Abs(v-s.Objective) > 1e-10*s.Objective {
					t.Errorf("%s, %v: objective %v after %d iterations, at once %v", name, init, v, i, s.Objective)
					break
				}
			}
		}
	}
}

// TestBatchesSameDivergence: if the fit starts near a solution, batches of any size reach a solution that is at least
// as good. It may be better, because updates of all rows at once are slow.
func TestBatchesSameDivergence(t *testing.T) {
	A := positive(14, 8, 2, 5)
	for name, o := range divergences() {
		o.Components, o.Method, o.MaxIterations, o.Tolerance = 2, Multiplicative, 200, 1e-13
		if name == "β 0.5" || name == "β 2" || name == "KL" {
			continue // other cases are like these
		}
		want := fit(t, A, o)
		rng := rand.New(rand.NewPCG(2, 2))
		jolt := func(M *mat.Dense) *mat.Dense {
			J := mat.DenseCopyOf(M)
			J.Apply(func(_, _ int, v float64) float64 { return v * (1 + 0.01*rng.Float64()) }, J)
			return J
		}
		o.Components, o.U, o.W = 0, jolt(want.U), jolt(want.W)
		for _, batch := range []int{4} {
			o.Batch = batch
			r := fit(t, A, o)
			if r.Objective > want.Objective*(1+1e-6) {
				t.Errorf("%s, batches of %d: objective %v after %d, must be at most %v", name, batch, r.Objective, r.Iterations, want.Objective)
			}
		}
	}
}

// TestBatchesSparseKL: KL in batches has the same result for sparse and dense A. A second fit, or another number of
// processors, gives the same bits. A is not modified.
func TestBatchesSparseKL(t *testing.T) {
	A := lowRank(200, 30, 4, 0.5, 0.1, 7)
	for i := range 200 {
		for j := range 30 {
			if (i*7+j*3)%25 < 15 {
				A.Set(i, j, 0)
			}
		}
	}
	before := mat.DenseCopyOf(A)
	o := Options{Components: 4, Loss: KL, Method: Multiplicative, Init: Random, Batch: 32, MaxIterations: 10, Tolerance: -1, KeepDense: true}
	dense, sparse := fit(t, A, o), fit(t, Sparsify(A), o)
	if d := maxDiff(dense.W, sparse.W); d > 1e-9*mat.Max(dense.W) {
		t.Errorf("sparse: W differs by %g", d)
	}
	old := runtime.GOMAXPROCS(3)
	again := fit(t, A, o)
	runtime.GOMAXPROCS(old)
	if !mat.Equal(dense.W, again.W) || !mat.Equal(dense.U, again.U) {
		t.Error("not the same bits twice")
	}
	if !mat.Equal(A, before) {
		t.Error("A was changed")
	}
}

// TestBatchesDivergenceFaster: a few passes in batches lower the objective more than as many passes over all rows
// at once.
func TestBatchesDivergenceFaster(t *testing.T) {
	A := positive(1000, 20, 4, 23)
	for name, o := range divergences() {
		o.Components, o.Method, o.Init, o.MaxIterations, o.Tolerance, o.Seed = 4, Multiplicative, Random, 6, -1, 1
		all := fit(t, A, o)
		o.Batch = 50
		b := fit(t, A, o)
		t.Logf("%s: 6 passes end at %.5g in batches of 50, at %.5g at once", name, b.Objective, all.Objective)
		if b.Objective > 0.95*all.Objective {
			t.Errorf("%s: 6 passes end at %v in batches, at %v at once", name, b.Objective, all.Objective)
		}
	}
}

// TestBatchesVanish: when elements fall to 0, the sums stay finite, even if the powers are high.
func TestBatchesVanish(t *testing.T) {
	A := mat.NewDense(60, 12, nil)
	for i := range 60 {
		for j := range 12 {
			A.Set(i, j, 1e-9)
			if i%3 == j%3 {
				A.Set(i, j, 1+float64(i%5))
			}
		}
	}
	for _, beta := range []float64{-1, 0, 1, 2, 4, 9} {
		o := Options{Components: 5, Loss: BetaDivergence, Beta: beta, Method: Multiplicative, Init: Random, Batch: 7, MaxIterations: 150, Tolerance: -1, Seed: 3}
		r := fit(t, A, o)
		for _, M := range []*mat.Dense{r.U, r.W} {
			if s := mat.Sum(M); math.IsNaN(s) || math.IsInf(s, 0) || mat.Min(M) < 0 {
				t.Errorf("β = %v: the sum of a factor is %v", beta, s)
			}
		}
		if first, last := r.History[1].Objective, r.Objective; !(last <= first) {
			t.Errorf("β = %v: the objective rises from %v to %v", beta, first, last)
		}
	}
}

// TestBatchesSklearn: from a random start, after as many passes as scikit-learn's MiniBatchNMF makes, the objective is
// at most slightly above the objective of MiniBatchNMF, which is computed with the U that its method transform returns.
func TestBatchesSklearn(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np\nfrom sklearn.decomposition import MiniBatchNMF", "numpy", "sklearn")
	A := positive(600, 20, 4, 23)
	py.Array("A", A)
	for name, l := range map[string]Loss{"kullback-leibler": KL, "itakura-saito": ItakuraSaito} {
		py.Do(fmt.Sprintf("m = MiniBatchNMF(4, init='random', random_state=0, batch_size=50, beta_loss=%q, max_iter=20, tol=0, max_no_improvement=None)\nU = m.fit_transform(A)", name))
		theirs := py.Float("float(m.reconstruction_err_)")
		theirs *= theirs / 2 // the square root of twice the divergence
		r, err := Fit(t.Context(), A, &Options{Components: 4, Loss: l, Method: Multiplicative, Init: Random, Batch: 50, MaxIterations: 20, Tolerance: -1})
		if ended.Accept(err) != nil {
			t.Fatal(err)
		}
		t.Logf("%s: objective %v, scikit-learn's %v", name, r.Objective, theirs)
		if r.Objective > 1.05*theirs {
			t.Errorf("%s: objective %v, scikit-learn's %v", name, r.Objective, theirs)
		}
	}
}
