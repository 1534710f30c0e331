package tsne

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"overcomplete/internal/simd"
	"overcomplete/kernel-helpers/internal/guard"
)

// atEnd copies v to memory directly before a protected page.
func atEnd[T any](t *testing.T, v []T) []T {
	size := len(v) * int(unsafe.Sizeof(v[0]))
	m := guard.Memory(t, size)
	w := unsafe.Slice((*T)(unsafe.Pointer(&m[len(m)-size])), len(v))
	copy(w, v)
	return w
}

// TestRepel compares the version in use with the loops in Go, with the operands at the end of readable
// memory. All assembly gives the same bits on any processor: the constant want is the hash of these bits.
func TestRepel(t *testing.T) {
	const want = 0xa1e0e40ed090156c
	simd.Each(func(name string) {
		rnd := rand.New(rand.NewPCG(2, 4))
		floats := func(n int) []float32 {
			v := make([]float32, n)
			for k := range v {
				v[k] = 4 * (rnd.Float32() - 0.5)
			}
			return v
		}
		h := fnv.New64a()
		for _, n := range []int{1, 2, 7, 15, 16, 17, 31, 32, 33, 100} {
			x, y, mass := atEnd(t, floats(n)), atEnd(t, floats(n)), atEnd(t, floats(n))
			own := &atEnd(t, []block{{x: [lanes]float32(floats(lanes)), y: [lanes]float32(floats(lanes))}})[0]
			begin := sums[float32]{z: [lanes]float32(floats(lanes)), x: [lanes]float32(floats(lanes)), y: [lanes]float32(floats(lanes))}
			for _, cells := range []bool{true, false} {
				exact, got := begin, &atEnd(t, []sums[float32]{begin})[0]
				if cells {
					repelCellsGo(x, y, mass, own, &exact)
					repelCells(x, y, mass, own, got)
				} else {
					repelPointsGo(x, y, own, &exact)
					repelPoints(x, y, own, got)
				}
				for _, pair := range [][2][lanes]float32{{got.z, exact.z}, {got.x, exact.x}, {got.y, exact.y}} {
					for c, v := range pair[0] {
						if !(math.Abs(float64(v-pair[1][c])) < 2e-5*(1+math.Abs(float64(v)))) {
							t.Fatalf("%s: n = %d, cells %v: %v, want %v", name, n, cells, *got, exact)
						}
						h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
					}
				}
			}
		}
		if got := h.Sum64(); name != "Go" && got != want {
			t.Errorf("%s: hash %#x, want %#x", name, got, uint64(want))
		}
	})
}
