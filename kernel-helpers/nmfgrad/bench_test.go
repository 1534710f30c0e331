package nmfgrad

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/implicit"
	"overcomplete/kernel-helpers/nnls"
)

// BenchmarkImplicit measures PointAt and one VJP. Compare ns/op of the sub-benchmarks with each other.
func BenchmarkImplicit(b *testing.B) {
	gemm.Use()
	n, d, k := 300, 200, 8
	A, U0, W0 := problem(1, n, d, k)
	U0.Scale(0.05, U0) // otherwise the other columns would push the first columns to zero
	r, err := Unroll(context.Background(), A, U0, W0, 3000, HALS)
	if err != nil {
		b.Fatal(err)
	}
	U, W := r.U(), r.W()
	G := random(rand.New(rand.NewPCG(1, 1)), n, d)
	for name, opt := range map[string]Options{
		"support": {}, "support, plain": {Plain: true}, "full": {System: Full, Solver: &implicit.LSMR{MaxIterations: 2000}},
	} {
		opt.Degenerate, opt.Tolerance = KeepZero, 1e-4
		b.Run(name, func(b *testing.B) {
			var products int
			for b.Loop() {
				p, err := PointAt(A, U, W, &opt)
				if err != nil {
					b.Fatal(err)
				}
				_, rep, err := p.VJPProduct(context.Background(), G)
				if err != nil {
					b.Log(err)
				}
				products = rep.Solve.Products
			}
			b.ReportMetric(float64(products), "products")
		})
	}
}

// BenchmarkRowsAt compares the time of RowsAt and its VJP with the time to find the coefficients.
func BenchmarkRowsAt(b *testing.B) {
	gemm.Use()
	rng := rand.New(rand.NewPCG(1, 1))
	n, d, k := 5000, 100, 20
	A, W, C := random(rng, n, d), random(rng, d, k), random(rng, n, k)
	var U *mat.Dense
	b.Run("solve", func(b *testing.B) {
		for b.Loop() {
			r, err := nnls.Solve(context.Background(), W, A.T(), nil)
			if err != nil {
				b.Fatal(err)
			}
			U = mat.DenseCopyOf(r.X.T())
		}
	})
	b.Run("differentiate", func(b *testing.B) {
		for b.Loop() {
			p, err := RowsAt(A, U, W, &Options{})
			if err != nil {
				b.Fatal(err)
			}
			if _, _, _, err := p.VJP(C); err != nil {
				b.Fatal(err)
			}
		}
	})
}
