package sparseapprox

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/mnist"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/kernel-helpers/pca"
)

// digits returns N signals X (180×N) and n atoms B (180×n). The signals are handwritten digits, or generated digits if
// MNIST is missing, after PCA to 180 dimensions. The atoms are pieces of other digits of the same set, projected on the
// same axes and scaled to norm 1.
func digits(tb testing.TB, N, n int) (X, B *mat.Dense, source string) {
	tb.Helper()
	const train = 3000
	var images *mat.Dense
	if d, err := mnist.Load(); err == nil {
		images, source = d.Train.First(train+n+N), "MNIST"
	} else {
		s, err := synth.Digits(tb.Context(), synth.DigitsOptions{N: train + n + N, Seed: 1})
		if err != nil {
			tb.Fatal(err)
		}
		images, source = s.Images, "generated digits"
	}
	_, p := images.Dims()
	m, err := pca.Fit(tb.Context(), images.Slice(0, train, 0, p), &pca.Options{Components: 180})
	if err != nil {
		tb.Fatal(err)
	}
	// Pieces of digits, 14×14 of the 28×28 pixels, are closer to learned atoms than whole digits.
	pieces := mat.DenseCopyOf(images.Slice(train, train+n, 0, p))
	rng := rand.New(rand.NewPCG(1, 0))
	for k := range n {
		r, c := 3+rng.IntN(9), 3+rng.IntN(9)
		for i := range 28 {
			for j := range 28 {
				if i < r || i >= r+14 || j < c || j >= c+14 {
					pieces.Set(k, i*28+j, 0)
				}
			}
		}
	}
	B = mat.NewDense(180, n, nil)
	B.Mul(m.Components.T(), pieces.T()) // without subtracting the mean, because an atom is a direction
	for j := range n {
		col := B.ColView(j).(*mat.VecDense)
		col.ScaleVec(1/mat.Norm(col, 2), col)
	}
	X = mat.DenseCopyOf(m.Scores(images.Slice(train+n, train+n+N, 0, p)).T())
	return X, B, source
}

// BenchmarkSklearn compares Solve, including the Gram matrix, with scikit-learn's sparse_encode for the same
// atoms and λ.
//
// The metric gap bounds, for every signal, how far Solve's objective is above the minimum (relative). The metrics
// peer-mean and peer-worst say how far scikit-learn's objective is above Solve's (relative), on average and for the
// worst signal. All three are decimal logarithms. sparse_encode has no tolerance option; the tolerance of its Lasso,
// 1e-4 of ‖x‖², is nearly the loosest tolerance that reaches 1e-6 for all signals at 6 and 10 % nonzeros (3e-4 misses
// it). At 20 % it runs out of iterations.
func BenchmarkSklearn(b *testing.B) {
	gemm.Use()
	for _, c := range []struct {
		n, rounds int
		algorithm string
		threads   int
		lambda    float64 // on MNIST 0.6, 0.3 and 0.08 give about 6, 10 and 18 % nonzeros
	}{
		{100, 9, "lasso_cd", 1, 0.6}, {100, 9, "lasso_cd", 1, 0.3}, {100, 3, "lasso_cd", 1, 0.08},
		{1000, 5, "lasso_cd", 1, 0.6}, {1000, 5, "lasso_cd", 1, 0.3}, {1000, 3, "lasso_cd", 2, 0.3},
		{100, 1, "lasso_lars", 1, 0.3},
	} {
		X, B, source := digits(b, c.n, 512)
		lambda := c.lambda
		b.Run(fmt.Sprintf("%s/%d signals/%s/%d threads/λ=%g", source, c.n, c.algorithm, c.threads, lambda), func(b *testing.B) {
			defer gemm.SetWorkers(gemm.SetWorkers(c.threads))
			py := peer.Start(b, c.threads, "import numpy as np\nfrom sklearn.decomposition import sparse_encode", "numpy", "sklearn")
			py.Array("X", X.T())
			py.Array("B", B.T())
			var res *Result
			mine := peer.Timer(func() {
				var err error
				res, err = Solve(b.Context(), B, X, &Options{Lambda: lambda, Workers: c.threads})
				if err != nil {
					b.Fatal(err)
				}
			})
			theirs := py.Timer(fmt.Sprintf("W = sparse_encode(X, B, algorithm=%q, alpha=%g)", c.algorithm, lambda))
			peer.Race(c.rounds, mine, theirs).Report(b)
			worst, mean := 0.0, 0.0
			for k, f := range py.Floats(fmt.Sprintf("0.5*((X - W @ B)**2).sum(1) + %g*np.abs(W).sum(1)", lambda)) {
				worst = max(worst, (f-res.Objective[k])/res.Objective[k])
				mean += f
			}
			mean /= float64(c.n)
			b.ReportMetric(100*res.Density(), "%nonzero")
			b.ReportMetric(math.Log10(res.MaxGap()), "log10-gap")
			b.ReportMetric(math.Log10(mean/res.MeanObjective()-1), "log10-peer-mean")
			b.ReportMetric(math.Log10(worst), "log10-peer-worst")
		})
	}
}

// BenchmarkMethods times the L1 methods on 512 signals with one thread.
func BenchmarkMethods(b *testing.B) {
	gemm.Use()
	X, B, _ := digits(b, 512, 512)
	for _, m := range []Method{CoordinateDescent, FeatureSign, LARS, FISTA} {
		for _, tol := range []float64{1e-3, 1e-6, 1e-10} {
			b.Run(fmt.Sprintf("%v/%g", m, tol), func(b *testing.B) {
				c, err := NewCoder(B, &Options{Lambda: 0.3, Method: m, Workers: 1, Tolerance: tol})
				if err != nil {
					b.Fatal(err)
				}
				var it int
				for b.Loop() {
					r, err := c.Code(b.Context(), X)
					if err != nil {
						b.Fatal(err)
					}
					it = 0
					for _, i := range r.Iterations {
						it += i
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/512, "us/signal")
				b.ReportMetric(float64(it)/512, "iterations")
			})
		}
	}
}
