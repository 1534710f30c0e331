package nnls

import (
	"testing"

	"overcomplete/internal/simd"
	"overcomplete/kernel-helpers/internal/guard"
)

// TestGuard: a sweep stays inside its operands.
func TestGuard(t *testing.T) {
	for _, k := range []int{1, 2, 5, 16, 49} {
		end := func(n int) []float64 {
			all := guard.Slice[float64](t, n)
			return all[len(all)-n:]
		}
		G, inv, c, u := end(k*k), end(k), end(k*lanes), end(k*lanes)
		order := make([]int, k)
		for i := range k {
			G[i*k+i], inv[i], order[i] = 2, 0.5, k-1-i
		}
		for i := range c {
			c[i] = float64(i % 7)
		}
		simd.Each(func(name string) {
			clear(u)
			sweep(k, order, G, inv, c, u)
			for i, v := range u {
				if v != c[i]/2 {
					t.Fatalf("%s, k = %d: %v at %d", name, k, v, i)
				}
			}
		})
	}
}
