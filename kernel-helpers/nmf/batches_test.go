package nmf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
)

// If the fits start near a solution, mini-batches reach the same solution as all rows at once. The test tries dense and
// sparse A, fits with and without penalties, and several batch sizes.
func TestBatchesSameSolution(t *testing.T) {
	D := lowRank(50, 25, 3, 0.3, 0.2, 21)
	for i := range 50 { // a matrix with zeros, so that it is treated as sparse
		for j := range 25 {
			if (i*7+j*3)%25 < 18 {
				D.Set(i, j, 0)
			}
		}
	}
	for _, p := range []Penalty{{}, {L1: 0.02, L2: 0.05}} {
		o := Options{Components: 3, PenaltyU: p, PenaltyW: p, Tolerance: -1, KKT: 1e-8, MaxIterations: 30000}
		want := fit(t, D, o)
		if want.Status != ended.Converged {
			t.Fatalf("all rows at once: %v, KKT %g", want.Status, want.KKT)
		}
		rng := rand.New(rand.NewPCG(2, 2))
		jolt := func(M *mat.Dense) *mat.Dense {
			J := mat.DenseCopyOf(M)
			J.Apply(func(_, _ int, v float64) float64 { return v * (1 + 0.01*rng.Float64()) }, J)
			return J
		}
		o.Components, o.U, o.W = 0, jolt(want.U), jolt(want.W)
		for _, batch := range []int{1, 7, 25, 50, 1000} {
			for _, A := range []mat.Matrix{D, Sparsify(D)} {
				o.Batch, o.KeepDense = batch, true
				r := fit(t, A, o)
				if r.Status != ended.Converged || math.Abs(r.Objective-want.Objective) > 1e-9*want.Objective {
					t.Errorf("batches of %d, %T: %v after %d, objective %v, must be %v", batch, A, r.Status, r.Iterations, r.Objective, want.Objective)
				}
				if p != (Penalty{}) { // with penalties, the scale is determined
					if d := maxDiff(r.W, want.W); d > 1e-5 {
						t.Errorf("batches of %d, %T: W is off by %g", batch, A, d)
					}
				}
				if own := objective(Frobenius, A, r.U, r.W) + p.value(paddedCopy(r.U)) + p.value(paddedCopy(r.W)); math.Abs(r.Objective-own) > 1e-11*own {
					t.Errorf("batches of %d, %T: objective %v, by its definition %v", batch, A, r.Objective, own)
				}
			}
		}
	}
}

// After the first iteration, in which A'U does not yet include all rows, the objective never rises. The test makes this
// hard: rows are sorted by kind, so the first batches are one-sided; and a vanishing component leaves only rounding
// errors in the differences.
func TestBatchesFall(t *testing.T) {
	A := lowRank(300, 40, 5, 0.4, 0.1, 22)
	for i := range 150 { // rows of the first half use only some of the columns
		for j := range 20 {
			A.Set(i, j, 0)
		}
	}
	for _, o := range []Options{{}, {Inner: 1}, {PenaltyU: Penalty{L1: 3}, PenaltyW: Penalty{L1: 3}}, {PenaltyU: Penalty{L1: 40}, PenaltyW: Penalty{L1: 40}}} {
		o.Components, o.Init, o.Batch, o.MaxIterations, o.Tolerance, o.Seed = 8, Random, 32, 60, -1, 3
		r := fit(t, A, o)
		for i, s := range r.History[2:] {
			if before := r.History[i+1].Objective; s.Objective > before*(1+1e-11) {
				t.Errorf("%+v: iteration %d: the objective rises from %v to %v", o, s.Iteration, before, s.Objective)
			}
		}
		last := r.History[len(r.History)-2].Objective
		if r.Objective > last*(1+1e-11) {
			t.Errorf("%+v: without the rounding of differences the objective is %v, it was %v", o, r.Objective, last)
		}
		again := fit(t, A, o)
		if !mat.Equal(r.W, again.W) || !mat.Equal(r.U, again.U) {
			t.Errorf("%+v: not the same bits twice", o)
		}
	}
}

// With many rows, batches need fewer passes over A. That is their purpose.
func TestBatchesAreFaster(t *testing.T) {
	patience.SkipShort(t, "it measures fits beside one another")
	A := lowRank(4000, 30, 6, 0.3, 0.1, 23)
	o := Options{Components: 6, Init: Random, MaxIterations: 5, Tolerance: -1, Seed: 1}
	all := fit(t, A, o)
	o.Batch = 100
	b := fit(t, A, o)
	o.MaxIterations, o.Batch = 400, 0
	least := fit(t, A, o).Objective
	if b.Objective-least > 0.5*(all.Objective-least) {
		t.Errorf("5 passes in batches end %v above %v, at once %v", b.Objective-least, least, all.Objective-least)
	}
	t.Logf("5 passes end %.4g above %.6g in batches of 100, %.4g at once", b.Objective-least, least, all.Objective-least)
}

func TestBatchesRefused(t *testing.T) {
	A := lowRank(6, 5, 2, 0, 0.1, 1)
	for says, o := range map[string]*Options{
		"nmf: Batch is -1, must not be negative":                {Components: 2, Batch: -1},
		"nmf: ADMM does not take Batch":                         {Components: 2, Batch: 2, Method: ADMM},
		"nmf: Multiplicative does not take Batch for the Frob":  {Components: 2, Batch: 2, Method: Multiplicative},
		"nmf: Batch is for float64: leave out Single":           {Components: 2, Batch: 2, Single: true},
		"nmf: CoordinateDescent minimizes the Frobenius loss o": {Components: 2, Batch: 2, Loss: KL},
	} {
		if _, err := Fit(t.Context(), A, o); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%v, must say %q", err, says)
		}
	}
}

// BenchmarkMiniBatch compares the time of scikit-learn's MiniBatchNMF with the time in which Fit reaches the final
// objective of MiniBatchNMF. MiniBatchNMF runs with its defaults, except that both sides start at random. The objective
// of MiniBatchNMF is computed with the U that its method transform returns.
func BenchmarkMiniBatch(b *testing.B) {
	gemm.Use()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer gemm.SetWorkers(gemm.SetWorkers(1))
	for _, in := range inputs {
		A := in.A(b)
		py := peer.Start(b, 1, "import numpy as np, warnings\nfrom sklearn.decomposition import MiniBatchNMF\nwarnings.simplefilter('ignore')", "numpy", "sklearn")
		send(b, py, A)
		theirs := py.Timer(fmt.Sprintf("m = MiniBatchNMF(%d, init='random', random_state=0)\nU = m.fit_transform(A)", in.k))()
		target := py.Float("float(m.reconstruction_err_)")
		target *= target / 2
		for _, batch := range []int{0, 1024, 256} {
			b.Run(fmt.Sprintf("%s/batch=%d", in.name, batch), func(b *testing.B) {
				var r *Model
				o := Options{Components: in.k, Init: Random, Batch: batch, Tolerance: -1, Target: target, MaxIterations: 400, Seed: 1}
				mine := peer.Timer(func() { r = fit(b, A, o) })()
				peer.Compare(mine, theirs).Report(b)
				b.ReportMetric(float64(r.Iterations), "iterations")
				b.ReportMetric(py.Float("float(m.n_iter_)"), "peer-iterations")
				b.ReportMetric(r.Objective/target-1, "excess")
			})
		}
	}
}
