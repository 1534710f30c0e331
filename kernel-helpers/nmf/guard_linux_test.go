package nmf

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"overcomplete/kernel-helpers/internal/guard"
)

// guarded returns n numbers in memory that ends at a protected page.
func guarded[T float64 | int32](t *testing.T, n int) []T {
	all := guard.Slice[T](t, n)
	return all[len(all)-n:]
}

// TestGuard: the gathering loops do not read or write outside their operands.
func TestGuard(t *testing.T) {
	for _, k := range []int{1, 7, 8, 20, 33, 49, 64, 65, 120, 130} {
		stride := factor(1, k).Stride
		W := blas64.General{Rows: 5, Cols: k, Stride: stride, Data: guarded[float64](t, 5*stride)}
		dst, u := guarded[float64](t, stride), guarded[float64](t, stride)
		col, val := guarded[int32](t, 3), guarded[float64](t, 3)
		for i := range 5 {
			for j := range k {
				W.Data[i*stride+j] = float64(i + 1)
			}
		}
		for j := range k {
			u[j] = 2
		}
		copy(col, []int32{0, 2, 4})
		copy(val, []float64{1, 10, 100})
		combine(dst[:k], val, col, W)
		for j := range k {
			if dst[j] != 1+30+500 {
				t.Fatalf("k = %d: %v", k, dst[j])
			}
		}
		inner(val, u[:k], col, W)
		for p, v := range val {
			if v != float64(2*k)*float64(2*p+1) {
				t.Fatalf("k = %d: %v at %d", k, v, p)
			}
		}
	}
}
