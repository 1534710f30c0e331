package vmath

import (
	"slices"
	"testing"
	"unsafe"

	"overcomplete/kernel-helpers/internal/guard"
)

// ends returns the first n elements and the last n elements of the page.
func ends[T number](m []byte, n int) [2][]T {
	all := unsafe.Slice((*T)(unsafe.Pointer(&m[0])), len(m)/int(unsafe.Sizeof(T(0))))
	return [2][]T{all[:n:n], all[len(all)-n:]}
}

func fill[T number](x []T, v T) {
	for i := range x {
		x[i] = v
	}
}

// TestGuard runs everything on slices that start or end at protected memory.
func TestGuard(t *testing.T) {
	in, out := guard.Memory(t, 1), guard.Memory(t, 1)
	versions(t, func(t *testing.T) {
		for n := 1; n <= 100; n++ {
			for side := range 2 {
				x, y := ends[float64](in, n)[side], ends[float64](out, n)[side]
				for _, f := range functions {
					fill(x, 2)
					fill(y, -1)
					f.f64(y, x)
					f.f64(x, x)
					if !slices.Equal(x, y) || slices.Min(y) < 0 {
						t.Fatalf("%s of %d times 2: %v, in place %v", f.name, n, y, x)
					}
				}
				Softmax(y, x)
				LogSumExp(x)
				// This uses the same memory, so it comes afterwards.
				x32, y32 := ends[float32](in, n)[side], ends[float32](out, n)[side]
				for _, f := range functions {
					fill(x32, 2)
					fill(y32, -1)
					f.f32(y32, x32)
					f.f32(x32, x32)
					if !slices.Equal(x32, y32) || slices.Min(y32) < 0 {
						t.Fatalf("%s32 of %d times 2: %v, in place %v", f.name, n, y32, x32)
					}
				}
				Softmax32(y32, x32)
				LogSumExp32(x32)
			}
		}
	})
}
