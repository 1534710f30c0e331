package l2svm

import (
	"context"
	"math/rand/v2"
	"testing"

	"overcomplete/kernel-helpers/gemm"
)

// BenchmarkPass measures the two passes of a step, for ten and for fifty machines, with 14,400 features.
func BenchmarkPass(b *testing.B) {
	gemm.Use()
	old := gemm.SetWorkers(1)
	defer gemm.SetWorkers(old)
	const n, d = 2048, 14400
	rng := rand.New(rand.NewPCG(1, 2))
	data := make([]float32, n*d)
	for k := range data {
		data[k] = rng.Float32()
	}
	X := Single(data, n, d)
	sc := &Scale{make([]float64, d), make([]float64, d)}
	for j := range sc.SD {
		sc.SD[j] = 1
	}
	a := design{ctx: context.Background(), X: X, scale: sc}
	for _, Q := range []int{10, 50} {
		V, P := make([][]float64, Q), make([][]float64, Q)
		for q := range Q {
			V[q], P[q] = make([]float64, n), make([]float64, d+1)
			for j := range P[q] {
				P[q][j] = rng.NormFloat64()
			}
		}
		name := map[int]string{10: "10", 50: "50"}[Q]
		rate := func(b *testing.B) {
			b.ReportMetric(2*n*d*float64(Q)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gflop/s")
		}
		b.Run("scores/"+name, func(b *testing.B) {
			for b.Loop() {
				if err := a.times(V, P); err != nil {
					b.Fatal(err)
				}
			}
			rate(b)
		})
		b.Run("adjoint/"+name, func(b *testing.B) {
			for b.Loop() {
				if err := a.transposedTimes(P, V); err != nil {
					b.Fatal(err)
				}
			}
			rate(b)
		})
	}
}
