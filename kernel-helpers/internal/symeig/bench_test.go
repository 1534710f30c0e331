package symeig

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
)

// sample returns the scatter of 2000 Gaussian samples with standard deviations (i+1)^-0.8, similar to the
// spectrum of face images.
func sample(d int) *mat.SymDense {
	gemm.Use()
	rng := rand.New(rand.NewPCG(7, 7))
	X := mat.NewDense(2000, d, nil)
	for i := range 2000 {
		for j := range d {
			X.Set(i, j, rng.NormFloat64()*math.Pow(float64(j+1), -0.8))
		}
	}
	var C mat.SymDense
	C.SymOuterK(1, X.T())
	return &C
}

func BenchmarkTop1024(b *testing.B) {
	C := sample(1024)
	for b.Loop() {
		_, _, st, err := Top(context.Background(), C, 100, 1, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(st.Products), "products")
		b.ReportMetric(float64(st.Rounds), "rounds")
	}
}

func BenchmarkFull1024(b *testing.B) {
	C := sample(1024)
	for b.Loop() {
		if _, _, err := Full(C, 1024); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValues1024(b *testing.B) {
	C := sample(1024)
	for b.Loop() {
		if _, err := Values(C); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGonum1024 measures mat.EigenSym on the same matrix, for comparison.
func BenchmarkGonum1024(b *testing.B) {
	C := sample(1024)
	for b.Loop() {
		var e mat.EigenSym
		if !e.Factorize(C, true) {
			b.Fatal("no eigenvectors")
		}
	}
}

// BenchmarkPeer compares Full with numpy's eigh, which always computes all eigenvectors.
func BenchmarkPeer(b *testing.B) {
	for _, c := range []struct{ n, k int }{{256, 256}, {1024, 1024}, {1024, 100}} {
		C := sample(c.n)
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%d of %d/threads=%d", c.k, c.n, threads), func(b *testing.B) {
				defer gemm.SetWorkers(gemm.SetWorkers(threads))
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
				py := peer.Start(b, threads, "import numpy as np", "numpy")
				py.Array("C", C)
				repeat := max(1, 512*512/c.n/c.n)
				peer.Race(9, peer.Timer(func() {
					for range repeat {
						if _, _, err := Full(C, c.k); err != nil {
							b.Fatal(err)
						}
					}
				}), py.Timer(fmt.Sprintf("for _ in range(%d): np.linalg.eigh(C)", repeat))).Report(b)
			})
		}
	}
}
