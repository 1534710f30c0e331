package gemm

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/peer"
)

// BenchmarkLAPACK races gonum's decompositions with and without Use.
func BenchmarkLAPACK(b *testing.B) {
	defer blas64.Use(blas64.Implementation())
	rnd := rand.New(rand.NewPCG(3, 4))
	tall := mat.NewDense(500, 300, random[float64](rnd, 500*300))
	square := mat.NewDense(500, 500, random[float64](rnd, 500*500))
	rhs := mat.NewDense(500, 500, random[float64](rnd, 500*500))
	var sym mat.SymDense
	sym.SymOuterK(1, square)
	for _, w := range []struct {
		name string
		do   func()
	}{
		{"SVD 500x300", func() { var s mat.SVD; s.Factorize(tall, mat.SVDThin) }},
		{"SVD 500x300 values", func() { var s mat.SVD; s.Factorize(tall, mat.SVDNone) }},
		{"EigenSym 500", func() { var e mat.EigenSym; e.Factorize(&sym, true) }},
		{"EigenSym 500 values", func() { var e mat.EigenSym; e.Factorize(&sym, false) }},
		{"QR 500", func() { var f mat.QR; f.Factorize(square) }},
		{"Cholesky 500", func() { var f mat.Cholesky; f.Factorize(&sym) }},
		{"LU 500", func() { var f mat.LU; f.Factorize(square) }},
		{"Solve 500x500", func() { var x mat.Dense; x.Solve(square, rhs) }},
		{"Mul 500", func() { var x mat.Dense; x.Mul(square, rhs) }},
		{"SymOuterK 500", func() { var x mat.SymDense; x.SymOuterK(1, square) }},
	} {
		b.Run(w.name, func(b *testing.B) {
			r := peer.Race(9, peer.Timer(func() { blas64.Use(BLAS{}); w.do() }),
				peer.Timer(func() { blas64.Use(gonum.Implementation{}); w.do() }))
			b.ReportMetric(0, "ns/op") // suppresses the total time of the race
			b.ReportMetric(r.Mine*1e3, "ms")
			b.ReportMetric(r.Peer*1e3, "gonum-ms")
			b.ReportMetric(r.Speed, "x-gonum")
		})
	}
}

// TestDecompositions checks that gonum's decompositions satisfy their defining equations when they use BLAS.
func TestDecompositions(t *testing.T) {
	defer blas64.Use(blas64.Implementation())
	eachSet(t, func(t *testing.T, set *isa) {
		blas64.Use(BLAS{})
		SetWorkers(2)
		rnd := rand.New(rand.NewPCG(30, 31))
		const m, n = 170, 130
		a := mat.NewDense(m, n, random[float64](rnd, m*n))
		var gram mat.SymDense
		gram.SymOuterK(1, a.T())

		var qr mat.QR
		qr.Factorize(a)
		var q, r, x mat.Dense
		qr.QTo(&q)
		qr.RTo(&r)
		x.Mul(&q, &r)
		near(t, "QR", &x, a)
		orthonormal(t, "Q", &q)

		var svd mat.SVD
		if !svd.Factorize(a, mat.SVDThin) {
			t.Fatal("SVD fails")
		}
		var u, v mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		x.Reset()
		x.Mul(&u, mat.NewDiagDense(n, svd.Values(nil)))
		x.Mul(&x, v.T())
		near(t, "SVD", &x, a)
		orthonormal(t, "U", &u)
		orthonormal(t, "V", &v)

		var eigen mat.EigenSym
		if !eigen.Factorize(&gram, true) {
			t.Fatal("EigenSym fails")
		}
		var w mat.Dense
		eigen.VectorsTo(&w)
		x.Reset()
		x.Mul(&w, mat.NewDiagDense(n, eigen.Values(nil)))
		x.Mul(&x, w.T())
		near(t, "EigenSym", &x, &gram)
		orthonormal(t, "eigenvectors", &w)

		var chol mat.Cholesky
		if !chol.Factorize(&gram) {
			t.Fatal("Cholesky fails")
		}
		var l mat.TriDense
		chol.LTo(&l)
		x.Reset()
		x.Mul(&l, l.T())
		near(t, "Cholesky", &x, &gram)

		square := a.Slice(0, n, 0, n)
		rhs := mat.NewDense(n, 50, random[float64](rnd, n*50))
		var solution mat.Dense
		if err := solution.Solve(square, rhs); err != nil {
			t.Fatal(err)
		}
		x.Reset()
		x.Mul(square, &solution)
		near(t, "Solve", &x, rhs)
	})
}

// near fails unless a and b are equal to 1e-11 of the largest element.
func near(t *testing.T, what string, a, b mat.Matrix) {
	t.Helper()
	scale := math.Max(1, math.Max(mat.Max(b), -mat.Min(b)))
	if !mat.EqualApprox(a, b, 1e-11*scale) {
		t.Errorf("%s does not give the matrix back", what)
	}
}

func orthonormal(t *testing.T, what string, q *mat.Dense) {
	t.Helper()
	_, n := q.Dims()
	var x mat.Dense
	x.Mul(q.T(), q)
	if !mat.EqualApprox(&x, mat.NewDiagDense(n, ones(n)), 1e-12) {
		t.Errorf("%s is not orthonormal", what)
	}
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}
