package features

import (
	"encoding/binary"
	"math"
	"testing"

	"overcomplete/internal/simd"
	"overcomplete/kernel-helpers/internal/avogen/avogentest"
)

// TestVectors compares the assembly with the portable code, for all halves except NaN and for all lengths.
func TestVectors(t *testing.T) {
	if !simd.AVX2() && !simd.NEON() {
		t.Skip("no vector instructions")
	}
	var b []byte
	for h := range 1 << 16 {
		if h&0x7fff <= 0x7c00 {
			b = binary.LittleEndian.AppendUint16(b, uint16(h))
		}
	}
	got, want := make([]float32, len(b)/2), make([]float32, len(b)/2)
	decodeHalves(got, b)
	halvesPortable(want, b)
	for k := range got {
		if math.Float32bits(got[k]) != math.Float32bits(want[k]) {
			t.Fatalf("half %d is %v, want %v", k, got[k], want[k])
		}
	}
	lo, step := table(1, 40), table(2, 40)[40:]
	for n := range 41 {
		h, p := make([]float32, n+1), make([]float32, n+1)
		h[n], p[n] = 7, 7 // sentinels: nothing may be written past the end
		decodeHalves(h[:n], b[4000:4000+2*n])
		halvesPortable(p[:n], b[4000:])
		for k := range h {
			if h[k] != p[k] {
				t.Fatalf("%d halves: number %d is %v, want %v", n, k, h[k], p[k])
			}
		}
		decodeBytes(h[:n], b[999:999+n], lo, step)
		bytesPortable(p[:n], b[999:], lo, step)
		for k := range h {
			if h[k] != p[k] {
				t.Fatalf("%d bytes: number %d is %v, want %v", n, k, h[k], p[k])
			}
		}
	}
}

// TestGenerated checks that the package's assembly is what the generator writes.
func TestGenerated(t *testing.T) { avogentest.One(t, "features", "decode") }
