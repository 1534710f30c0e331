package wasmsimd_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/vmath"
)

// These benchmarks measure the packages that use the module. Compare runs in node with the tag livesimd, runs in node
// without it, and native runs with GODEBUG=cpu.avx512f=off.

func numbers[T float32 | float64](n int) []T {
	rng := rand.New(rand.NewPCG(1, 1))
	x := make([]T, n)
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
	return x
}

func BenchmarkGemm(b *testing.B) {
	defer gemm.SetWorkers(gemm.SetWorkers(1))
	for _, n := range []int{16, 64, 128, 256, 512} {
		b.Run(fmt.Sprintf("float64/%d", n), func(b *testing.B) {
			x, y, z := numbers[float64](n*n), numbers[float64](n*n), make([]float64, n*n)
			for b.Loop() {
				gemm.BLAS{}.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n)
			}
			b.ReportMetric(2*float64(n*n*n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "Gflop/s")
		})
		b.Run(fmt.Sprintf("float32/%d", n), func(b *testing.B) {
			x, y, z := numbers[float32](n*n), numbers[float32](n*n), make([]float32, n*n)
			for b.Loop() {
				gemm.BLAS{}.Sgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n)
			}
			b.ReportMetric(2*float64(n*n*n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "Gflop/s")
		})
	}
}

func BenchmarkVmath(b *testing.B) {
	x, y := numbers[float64](1e6), make([]float64, 1e6)
	x32, y32 := numbers[float32](1e6), make([]float32, 1e6)
	for _, f := range []struct {
		name string
		f64  func(y, x []float64)
		f32  func(y, x []float32)
	}{{"Exp", vmath.Exp, vmath.Exp32}, {"Log", vmath.Log, vmath.Log32}, {"Sigmoid", vmath.Sigmoid, vmath.Sigmoid32}, {"Softmax", vmath.Softmax, vmath.Softmax32}} {
		b.Run(f.name+"/float64", func(b *testing.B) {
			for b.Loop() {
				f.f64(y, x)
			}
		})
		b.Run(f.name+"/float32", func(b *testing.B) {
			for b.Loop() {
				f.f32(y32, x32)
			}
		})
	}
}

// BenchmarkLasso codes 200 signals of 64 numbers with 128 atoms.
func BenchmarkLasso(b *testing.B) {
	B, X := mat.NewDense(64, 128, numbers[float64](64*128)), mat.NewDense(64, 200, numbers[float64](64*200))
	c, err := sparseapprox.NewCoder(B, &sparseapprox.Options{Lambda: 5, Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Code(b.Context(), X); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSVD(b *testing.B) {
	gemm.Use()
	A := mat.NewDense(200, 200, numbers[float64](200*200))
	for b.Loop() {
		var s mat.SVD
		s.Factorize(A, mat.SVDThin)
	}
}
