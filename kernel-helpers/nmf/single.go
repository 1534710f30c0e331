package nmf

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// singleData multiplies a dense A in float32, from a copy of half the size: those
// products are half memory and half arithmetic, and both halve. All else stays in
// float64.
type singleData struct {
	denseData
	a32 blas32.General
}

func newSingleData(s *denseData) *singleData {
	n, d := s.dims()
	t := &singleData{*s, blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}}
	for i := range n {
		row := t.a32.Data[i*d:]
		for j, v := range s.row(i) {
			row[j] = float32(v)
		}
	}
	return t
}

func (s *singleData) times(W, C blas64.General)  { s.product(blas.NoTrans, W, C) }
func (s *singleData) timesT(U, C blas64.General) { s.product(blas.Trans, U, C) }

func (s *singleData) product(t blas.Transpose, F, C blas64.General) {
	f, c := float32s(F), blas32.General{Rows: C.Rows, Cols: C.Cols, Stride: C.Cols, Data: make([]float32, C.Rows*C.Cols)}
	blas32.Gemm(t, blas.NoTrans, 1, s.a32, f, 0, c)
	for i := range C.Rows {
		to := C.Data[i*C.Stride:][:C.Cols]
		for j, v := range c.Data[i*c.Stride:][:C.Cols] {
			to[j] = float64(v)
		}
	}
}

func float32s(F blas64.General) blas32.General {
	f := blas32.General{Rows: F.Rows, Cols: F.Cols, Stride: F.Cols, Data: make([]float32, F.Rows*F.Cols)}
	for i := range F.Rows {
		to := f.Data[i*f.Stride:][:F.Cols]
		for j, v := range F.Data[i*F.Stride:][:F.Cols] {
			to[j] = float32(v)
		}
	}
	return f
}
