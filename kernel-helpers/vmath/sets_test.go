//go:build !arm64 && !(js && livesimd)

package vmath

import (
	"math/rand/v2"
	"testing"
)

// TestAgree checks that AVX2 and AVX-512 give the same bits, sums included.
func TestAgree(t *testing.T) {
	if inUse < avx512 {
		t.Skip("no AVX-512 here")
	}
	defer func() { inUse = avx512 }()
	rng := rand.New(rand.NewPCG(6, 6))
	for trial := range 300 {
		n := trial
		if trial > 290 {
			n = 20000
		}
		x := mixed(rng, n)
		if trial%2 == 0 { // without special values sums are finite
			for i := range x {
				x[i] = 10 * rng.NormFloat64()
			}
		}
		x32 := to32(x)
		results := func(v instructions) ([]float64, []float32) {
			inUse = v
			sums, sums32 := []float64{LogSumExp(x)}, []float32{LogSumExp32(x32)}
			y, y32 := make([]float64, n), make([]float32, n)
			for _, f := range functions {
				f.f64(y, x)
				f.f32(y32, x32)
				sums, sums32 = append(sums, y...), append(sums32, y32...)
			}
			Softmax(y, x)
			Softmax32(y32, x32)
			return append(sums, y...), append(sums32, y32...)
		}
		a, a32 := results(avx2)
		b, b32 := results(avx512)
		for i := range a {
			if !same64(a[i], b[i]) || !same32(a32[i], b32[i]) {
				t.Fatalf("length %d, value %d: AVX2 gives %v and %v, AVX-512 %v and %v", n, i, a[i], a32[i], b[i], b32[i])
			}
		}
	}
}
