//go:build !js || !livesimd

package vmath

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// TestBits checks that every assembly gives the same bits on any processor. The number is their hash; it
// changes with the algorithms or their coefficients.
func TestBits(t *testing.T) {
	const want = 0x483597159c9e26ac
	eachVersion(func(v instructions) {
		if v == portable {
			return
		}
		h := fnv.New64a()
		put := func(x float64) {
			bits := math.Float64bits(x)
			if x != x { // the bits of a NaN are unspecified
				bits = math.Float64bits(math.NaN())
			}
			h.Write(binary.LittleEndian.AppendUint64(nil, bits))
		}
		rng := rand.New(rand.NewPCG(7, 7))
		for n := range 300 {
			x := mixed(rng, n)
			if n%2 == 0 { // without special values sums are finite
				for i := range x {
					x[i] = 10 * (rng.Float64() - rng.Float64())
				}
			}
			x32 := to32(x)
			y, y32 := make([]float64, n), make([]float32, n)
			all := func() {
				for i := range y {
					put(y[i])
					put(float64(y32[i]))
				}
			}
			for _, f := range functions {
				f.f64(y, x)
				f.f32(y32, x32)
				all()
			}
			Softmax(y, x)
			Softmax32(y32, x32)
			all()
			if n%2 == 0 {
				put(sumExp64(x, 20))
				put(sumExp32(x32, 20))
			}
		}
		if got := h.Sum64(); got != want {
			t.Errorf("%s: hash %#x, want %#x", names[v], got, uint64(want))
		}
	})
}
