package sparseapprox

import (
	"math"
	"testing"
	"unsafe"

	"overcomplete/kernel-helpers/internal/guard"
)

// TestGuard32 is TestGuard for float32 and both instruction sets.
func TestGuard32(t *testing.T) {
	floats := func() []float32 {
		m := guard.Memory(t, 1)
		return unsafe.Slice((*float32)(unsafe.Pointer(&m[0])), len(m)/4)
	}
	a, b := floats(), floats()
	defer func(w, h bool) { wide, half = w, h }(wide, half)
	for _, v := range [][2]bool{{wide, half}, {false, half}, {false, false}} {
		wide, half = v[0], v[1]
		for n := range 201 {
			for end := range 2 {
				x, y := a[:n:n], b[:n:n]
				if end == 1 {
					x, y = a[len(a)-n:], b[len(b)-n:]
				}
				for i := range n {
					x[i], y[i] = float32(i+1), 3
				}
				axpy32(0.5, x, y)
				for i, v := range y {
					if v != 3+0.5*float32(i+1) {
						t.Fatalf("wide %v, half %v: axpy32 of %d: element %d is %v", wide, half, n, i, v)
					}
				}
			}
		}
	}
}

// TestGuard runs the vector operations on slices that begin or end at memory
// that faults.
func TestGuard(t *testing.T) {
	floats := func() []float64 {
		m := guard.Memory(t, 1)
		return unsafe.Slice((*float64)(unsafe.Pointer(&m[0])), len(m)/8)
	}
	a, b := floats(), floats()
	for n := range 101 {
		for end := range 2 {
			x, y := a[:n:n], b[:n:n]
			if end == 1 {
				x, y = a[len(a)-n:], b[len(b)-n:]
			}
			for i := range n {
				x[i], y[i] = 2, 3
			}
			if got := dot(x, y); math.Abs(got-6*float64(n)) > 1e-12 {
				t.Fatalf("dot of %d: %v", n, got)
			}
			axpy(0.5, x, y)
			for i, v := range y {
				if v != 4 {
					t.Fatalf("axpy of %d: element %d is %v", n, i, v)
				}
			}
		}
	}
}
