package features

import (
	"testing"

	"overcomplete/kernel-helpers/internal/guard"
)

// TestGuard decodes buffers between inaccessible pages, so that an access outside a buffer crashes.
func TestGuard(t *testing.T) {
	single := func() []float32 { return guard.Slice[float32](t, 1) }
	dst, lo, step, from := single(), single(), single(), guard.Memory(t, 1)
	for k := range lo {
		lo[k], step[k] = 1, 2
	}
	for k := range from {
		from[k] = 0x3c // both bytes of a half are 0x3c: 1 + 60/1024
	}
	for n := range 70 {
		for end := range 2 {
			cut := func(x []float32) []float32 { return x[end*(len(x)-n):][:n] }
			decodeHalves(cut(dst), from[end*(len(from)-2*n):][:2*n])
			for k, v := range cut(dst) {
				if v != 1+60./1024 {
					t.Fatalf("half %d of %d is %v", k, n, v)
				}
			}
			decodeBytes(cut(dst), from[end*(len(from)-n):][:n], cut(lo), cut(step))
			for k, v := range cut(dst) {
				if v != 121 {
					t.Fatalf("byte %d of %d is %v", k, n, v)
				}
			}
		}
	}
}
