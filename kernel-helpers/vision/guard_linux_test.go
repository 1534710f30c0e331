package vision

import (
	"testing"

	"overcomplete/kernel-helpers/internal/guard"
)

// TestGuard runs addThreshold on memory between protected pages.
func TestGuard(t *testing.T) {
	single := func() []float32 { return guard.Slice[float32](t, 1) }
	pos, neg, z := single(), single(), single()
	for k := range z {
		z[k] = float32(1 - 2*(k%2))
	}
	for n := range 70 {
		for end := range 2 {
			cut := func(x []float32) []float32 { return x[end*(len(x)-n):][:n] }
			clear(cut(pos))
			clear(cut(neg))
			addThreshold(cut(pos), cut(neg), cut(z), 0.25)
			for k, v := range cut(z) {
				if p, m := cut(pos)[k], cut(neg)[k]; p != max(0, v-0.25) || m != max(0, -v-0.25) {
					t.Fatalf("element %d of %d: %v and %v of %v", k, n, p, m, v)
				}
			}
		}
	}
}
