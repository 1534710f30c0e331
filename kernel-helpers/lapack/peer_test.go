package lapack

import (
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/kernel-helpers/internal/trial"
)

// normal returns an m×n matrix of Gaussian numbers.
func normal(rnd *rand.Rand, m, n int) *mat.Dense {
	return trial.Normal(rnd, m, n, 1)
}

// TestPeer compares with numpy and scipy. Triangular factors have the same signs there; eigenvalues and singular
// values need no signs.
func TestPeer(t *testing.T) {
	defer blas64.Use(blas64.Implementation())
	defer lapackOf(implementation{})()
	Use()
	rnd := rand.New(rand.NewPCG(30, 31))
	const m, n = 150, 110
	a, s := normal(rnd, m, n), new(mat.SymDense)
	s.SymOuterK(1, normal(rnd, n, n+5))
	square := a.Slice(0, n, 0, n)
	py := peer.Start(t, 1, "import numpy as np\nimport scipy.linalg as la", "numpy", "scipy")
	py.Array("a", a)
	py.Array("s", s)
	py.Do("q = a[:len(s)]")
	same := func(what, expression string, got mat.Matrix) {
		t.Helper()
		r, c := got.Dims()
		want := mat.NewDense(r, c, py.Floats("("+expression+").ravel()"))
		if d := distance(got, want); !(d <= 1e-12*max(mat.Max(want), -mat.Min(want))) {
			t.Errorf("%s: differs from numpy by %g", what, d)
		}
	}

	var svd mat.SVD
	svd.Factorize(a, mat.SVDThin)
	same("SVD", "np.linalg.svd(a, compute_uv=False)", mat.NewVecDense(n, svd.Values(nil)))
	var sym mat.EigenSym
	sym.Factorize(s, true)
	same("EigenSym", "np.linalg.eigvalsh(s)", mat.NewVecDense(n, sym.Values(nil)))
	var eigen mat.Eigen
	eigen.Factorize(square, mat.EigenBoth)
	moduli := make([]float64, n)
	for i, v := range eigen.Values(nil) {
		moduli[i] = cmplx.Abs(v)
	}
	slices.Sort(moduli)
	same("Eigen", "np.sort(np.abs(np.linalg.eigvals(q)))", mat.NewVecDense(n, moduli))
	var qr mat.QR
	qr.Factorize(a)
	var q, r mat.Dense
	qr.QTo(&q)
	qr.RTo(&r)
	same("Q", "la.qr(a)[0]", &q)
	same("R", "la.qr(a)[1]", &r)
	var chol mat.Cholesky
	chol.Factorize(s)
	var l mat.TriDense
	chol.LTo(&l)
	same("Cholesky", "np.linalg.cholesky(s)", &l)
	var inverse, solution mat.Dense
	if err := inverse.Inverse(square); err != nil {
		t.Fatal(err)
	}
	same("Inverse", "np.linalg.inv(q)", &inverse)
	if err := solution.Solve(a, a.Slice(0, m, 0, 7)); err != nil {
		t.Fatal(err)
	}
	same("Solve", "np.linalg.lstsq(a, a[:, :7], rcond=None)[0]", &solution)
}

// BenchmarkPeer races gonum's decompositions, after Use, with the same decompositions of numpy and scipy on
// one thread.
func BenchmarkPeer(b *testing.B) {
	defer blas64.Use(blas64.Implementation())
	defer lapackOf(implementation{})()
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
