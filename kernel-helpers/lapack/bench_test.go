package lapack

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
)

// BenchmarkGonum races gonum's decompositions after Use against the same decompositions after gemm.Use alone, on
// one thread.
func BenchmarkGonum(b *testing.B) {
	defer blas64.Use(blas64.Implementation())
	gemm.Use()
	defer gemm.Serial()()
	for _, n := range []int{30, 100, 400} {
		rnd := rand.New(rand.NewPCG(5, 7))
		a, s := normal(rnd, n, n), new(mat.SymDense)
		s.SymOuterK(1, normal(rnd, n, n+20))
		for _, c := range []struct {
			name string
			do   func()
		}{
			{"EigenSym", func() { new(mat.EigenSym).Factorize(s, true) }},
			{"SVD", func() { new(mat.SVD).Factorize(a, mat.SVDThin) }},
			{"Eigen", func() { new(mat.Eigen).Factorize(a, mat.EigenRight) }},
			{"QR", func() { new(mat.QR).Factorize(a) }},
			{"Cholesky", func() { new(mat.Cholesky).Factorize(s) }},
			{"LU", func() { new(mat.LU).Factorize(a) }},
			{"Inverse", func() { new(mat.Dense).Inverse(a) }},
		} {
			b.Run(fmt.Sprint(c.name, "/", n), func(b *testing.B) {
				peer.Race(9,
					peer.Timer(func() { defer lapackOf(implementation{})(); c.do() }),
					peer.Timer(func() { defer lapackOf(gonum.Implementation{})(); c.do() })).Report(b)
			})
		}
	}
}
