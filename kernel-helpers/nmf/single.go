package nmf

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"overcomplete/kernel-helpers/internal/product"
)

// singleData multiplies a dense A in float32, from a copy of half the size. Half of the time of such a product is
// memory access and half is arithmetic; float32 halves both. Everything else stays in float64. The copy, and each
// factor before its product, is scaled by a power of two so that its largest element is near 1. So, for any scale of A,
// no product overflows, and only negligible numbers are lost to underflow. Apart from that, the scaling does not change
// any bits.
type singleData struct {
	denseData
	a32   blas32.General
	scale int // a32 is A·2^-scale
}

func newSingleData(s *denseData) *singleData {
	t := &singleData{denseData: *s, scale: exponent(s.a)}
	t.a32 = float32s(s.a, t.scale)
	return t
}

func (s *singleData) times(W, C blas64.General)  { s.product(blas.NoTrans, W, C) }
func (s *singleData) timesT(U, C blas64.General) { s.product(blas.Trans, U, C) }

func (s *singleData) product(t blas.Transpose, F, C blas64.General) {
	e := exponent(F)
	f, c := float32s(F, e), blas32.General{Rows: C.Rows, Cols: C.Cols, Stride: C.Cols, Data: make([]float32, C.Rows*C.Cols)}
	back := math.Ldexp(1, s.scale+e)
	product.Gemm32(s.end(), t, blas.NoTrans, 1, s.a32, f, 0, c)
	for i := range C.Rows {
		to := C.Data[i*C.Stride:][:C.Cols]
		for j, v := range c.Data[i*c.Stride:][:C.Cols] {
			to[j] = float64(v) * back
		}
	}
}

// exponent returns an exponent e for which all elements of |F|·2^-e are at most 1, and the largest is near 1.
func exponent(F blas64.General) int {
	most := 0.0
	for i := range F.Rows {
		for _, v := range F.Data[i*F.Stride:][:F.Cols] {
			most = max(most, math.Abs(v))
		}
	}
	_, e := math.Frexp(most)
	return e
}

// float32s returns F·2^-e.
func float32s(F blas64.General, e int) blas32.General {
	by := math.Ldexp(1, -e)
	f := blas32.General{Rows: F.Rows, Cols: F.Cols, Stride: F.Cols, Data: make([]float32, F.Rows*F.Cols)}
	for i := range F.Rows {
		to := f.Data[i*f.Stride:][:F.Cols]
		for j, v := range F.Data[i*F.Stride:][:F.Cols] {
			to[j] = float32(v * by)
		}
	}
	return f
}
