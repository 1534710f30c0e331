//go:build !js || !livesimd

package gemm

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// TestBits checks, by a hash of the results, that all assembly gives the same bits. The hash depends on the
// block size of k.
func TestBits(t *testing.T) {
	const want = 0x9030d2d96702590d
	eachSet(t, func(t *testing.T, _ *isa) {
		h := fnv.New64a()
		rnd := rand.New(rand.NewPCG(9, 9))
		for i := range 200 {
			m, n, k := 2+rnd.IntN(40), 2+rnd.IntN(40), 1+rnd.IntN(300)
			tr, beta := transposes[i%4], float64(i%3)/2
			_, lda := dims(tr[0], m, k)
			_, ldb := dims(tr[1], k, n)
			numbers := func(n int) []float64 {
				x := make([]float64, n)
				for i := range x {
					x[i] = rnd.Float64() - 0.5
				}
				return x
			}
			a, b, c := numbers(m*k), numbers(k*n), numbers(m*n)
			c32 := single(c)
			my32.gemm(tr[0], tr[1], m, n, k, 0.7, single(a), lda, single(b), ldb, float32(beta), c32, n)
			my64.gemm(tr[0], tr[1], m, n, k, 0.7, a, lda, b, ldb, beta, c, n)
			for i, v := range c {
				h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
				h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(c32[i])))
			}
		}
		if got := h.Sum64(); got != want {
			t.Errorf("hash %#x, want %#x", got, uint64(want))
		}
	})
}

func single(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}
