package sparseapprox

import (
	"testing"

	"overcomplete/internal/simd"
	"overcomplete/kernel-helpers/internal/guard"
)

// guarded returns a function that returns slices of n numbers, which touch the start or the end of a piece of memory
// between protected pages.
func guarded[T float32 | float64 | uint64](t *testing.T) func(n, end int) []T {
	all := guard.Slice[T](t, 1)
	return func(n, end int) []T {
		if end == 1 {
			return all[len(all)-n:]
		}
		return all[:n:n]
	}
}

// TestGuard runs the vector operations on memory next to protected pages.
func TestGuard(t *testing.T) {
	x, y := guarded[float64](t), guarded[float64](t)
	x32, y32, found := guarded[float32](t), guarded[float32](t), guarded[uint64](t)
	simd.Each(func(name string) {
		for n := range 101 {
			for end := range 2 {
				a, b := x(n, end), y(n, end)
				for i := range n {
					a[i], b[i] = 2, 3
				}
				if got := dot(a, b); got != 6*float64(n) {
					t.Fatalf("%s: dot of %d: %v", name, n, got)
				}
				axpy(0.5, a, b)
				axpy4(&[4]float64{1, 2, 3, 4}, a, a, a, a, b)
				for i, v := range b {
					if v != 24 {
						t.Fatalf("%s: sums of rows of %d: element %d is %v", name, n, i, v)
					}
				}
			}
		}
		for n := range 201 {
			for end := range 2 {
				a, b, f := x32(n, end), y32(n, end), found((n+63)/64, end)
				for i := range n {
					a[i], b[i] = float32(i+1), 3
				}
				axpy32(0.5, a, b)
				axpy4x32(&[4]float32{1, 2, 3, 4}, a, a, a, a, b)
				for i, v := range b {
					if v != 3+10.5*float32(i+1) {
						t.Fatalf("%s: sums of rows of %d: element %d is %v", name, n, i, v)
					}
					b[i] = 1
				}
				if got := excess(a, b, -1); got != float32(max(0, n-1)) {
					t.Fatalf("%s: excess of %d: %v", name, n, got)
				}
				above(a, b, -1, 1, f)
				for i := range n {
					if got := f[i/64]>>(i%64)&1 == 1; got != (i > 0) {
						t.Fatalf("%s: above of %d: place %d is %v", name, n, i, got)
					}
				}
			}
		}
	})
}

// TestGuardSweep uses a block that ends at a protected page.
func TestGuardSweep(t *testing.T) {
	all := guard.Slice[float32](t, 1<<14)
	vectors := [4]func(n, end int) []float32{guarded[float32](t), guarded[float32](t), guarded[float32](t), guarded[float32](t)}
	simd.Each(func(name string) {
		for m := 1; m < 100; m++ {
			stride := (m + 16) &^ 15
			b := block32{m: m, stride: stride}
			b.a = all[len(all)-m*stride:]
			clear(b.a)
			for end := range 2 {
				b.w, b.q, b.g, b.inverse = vectors[0](stride, end), vectors[1](stride, end), vectors[2](stride, end), vectors[3](stride, end)
				for i := range stride {
					b.w[i], b.q[i], b.g[i], b.inverse[i] = 0, 3, 1, 1
				}
				for i := range m {
					b.a[i*stride+i] = 1
				}
				if got := b.run(-1); got != 2 {
					t.Fatalf("%s: %d atoms: the largest change is %v, want 2", name, m, got)
				}
				for i := range m {
					if b.w[i] != 2 || b.q[i] != 1 {
						t.Fatalf("%s: %d atoms: w_%d is %v, q %v", name, m, i, b.w[i], b.q[i])
					}
				}
			}
		}
	})
}
