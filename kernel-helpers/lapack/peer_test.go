package lapack

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
)

// normal returns an m×n matrix of Gaussian numbers.
func normal(rnd *rand.Rand, m, n int) *mat.Dense {
	a := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			a.Set(i, j, rnd.NormFloat64())
		}
	}
	return a
}

// BenchmarkPeer races gonum's decompositions, after Use, with the same decompositions of numpy and scipy on
// one thread.
func BenchmarkPeer(b *testing.B) {
	before := blas64.Implementation()
	defer blas64.Use(before)
	defer lapack64.Use(gonum.Implementation{})
	gemm.Use()
	Use()
	defer gemm.Serial()()
	for _, c := range []struct {
		name string
		m, n int
		mine func(a *mat.Dense, s *mat.SymDense)
		peer string
	}{
		{"EigenSym", 0, 0, func(_ *mat.Dense, s *mat.SymDense) { new(mat.EigenSym).Factorize(s, true) }, "np.linalg.eigh(s)"},
		{"EigenSymValues", 0, 0, func(_ *mat.Dense, s *mat.SymDense) { new(mat.EigenSym).Factorize(s, false) }, "np.linalg.eigvalsh(s)"},
		{"SVD", 0, 0, func(a *mat.Dense, _ *mat.SymDense) { new(mat.SVD).Factorize(a, mat.SVDThin) }, "np.linalg.svd(a, full_matrices=False)"},
		{"SVDValues", 0, 0, func(a *mat.Dense, _ *mat.SymDense) { new(mat.SVD).Factorize(a, mat.SVDNone) }, "np.linalg.svd(a, compute_uv=False)"},
		{"SVDTall", 4, 1, func(a *mat.Dense, _ *mat.SymDense) { new(mat.SVD).Factorize(a, mat.SVDThin) }, "np.linalg.svd(a, full_matrices=False)"},
		{"SVDWide", 1, 3, func(a *mat.Dense, _ *mat.SymDense) { new(mat.SVD).Factorize(a, mat.SVDThin) }, "np.linalg.svd(a, full_matrices=False)"},
		{"QR", 0, 0, func(a *mat.Dense, _ *mat.SymDense) { new(mat.QR).Factorize(a) }, "la.qr(a, mode='raw')"},
		{"QRTall", 4, 1, func(a *mat.Dense, _ *mat.SymDense) { new(mat.QR).Factorize(a) }, "la.qr(a, mode='raw')"},
		{"QRQ", 0, 0, func(a *mat.Dense, _ *mat.SymDense) {
			var f mat.QR
			var q mat.Dense
			f.Factorize(a)
			f.QTo(&q)
		}, "np.linalg.qr(a)"},
		{"LQ", 0, 0, func(a *mat.Dense, _ *mat.SymDense) { new(mat.LQ).Factorize(a) }, "la.rq(a)"},
		{"Cholesky", 0, 0, func(_ *mat.Dense, s *mat.SymDense) { new(mat.Cholesky).Factorize(s) }, "np.linalg.cholesky(s)"},
		{"CholeskyInverse", 0, 0, func(_ *mat.Dense, s *mat.SymDense) {
			var c mat.Cholesky
			c.Factorize(s)
			c.InverseTo(new(mat.SymDense))
		}, "la.lapack.dpotri(la.cholesky(s))"},
		{"LU", 0, 0, func(a *mat.Dense, _ *mat.SymDense) { new(mat.LU).Factorize(a) }, "la.lu_factor(a)"},
		{"Inverse", 0, 0, func(a *mat.Dense, _ *mat.SymDense) { new(mat.Dense).Inverse(a) }, "np.linalg.inv(a)"},
		{"Solve", 0, 0, func(a *mat.Dense, s *mat.SymDense) { new(mat.Dense).Solve(a, s) }, "np.linalg.solve(a, s)"},
		{"Eigen", 0, 0, func(a *mat.Dense, _ *mat.SymDense) { new(mat.Eigen).Factorize(a, mat.EigenRight) }, "np.linalg.eig(a)"},
		{"EigenValues", 0, 0, func(a *mat.Dense, _ *mat.SymDense) { new(mat.Eigen).Factorize(a, mat.EigenNone) }, "np.linalg.eigvals(a)"},
	} {
		for _, size := range []int{200, 400, 1000} {
			m, n := max(1, c.m)*size, max(1, c.n)*size
			b.Run(fmt.Sprintf("%s/%dx%d", c.name, m, n), func(b *testing.B) {
				rnd := rand.New(rand.NewPCG(5, uint64(size)))
				a := normal(rnd, m, n)
				var s mat.SymDense
				s.SymOuterK(1, normal(rnd, n, n+20))
				py := peer.Start(b, 1, "import numpy as np\nimport scipy.linalg as la", "numpy", "scipy")
				py.Array("a", a)
				py.Array("s", &s)
				rounds := 7
				if size > 500 {
					rounds = 3
				}
				peer.Race(rounds, peer.Timer(func() { c.mine(a, &s) }), py.Timer(c.peer)).Report(b)
			})
		}
	}
}
