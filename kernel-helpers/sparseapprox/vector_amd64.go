//go:build !noasm

package sparseapprox

import (
	"golang.org/x/sys/cpu"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
)

// wide says that the processor has AVX-512 and the operating system saves its
// registers.
var wide = cpu.X86.HasAVX512F

// half says the same of AVX2 with FMA.
var half = cpu.X86.HasAVX2 && cpu.X86.HasFMA

//go:noescape
func axpy32x16(n int, a float32, x, y *float32)

//go:noescape
func axpy32x8(n int, a float32, x, y *float32)

// axpy32 adds a x to y, of one length.
func axpy32(a float32, x, y []float32) {
	if len(x) != len(y) {
		panic("sparseapprox: axpy32: lengths differ")
	}
	switch {
	case len(x) == 0:
	case wide:
		axpy32x16(len(x), a, &x[0], &y[0])
	case half:
		axpy32x8(len(x), a, &x[0], &y[0])
	default:
		blas32.Axpy(a, blas32.Vector{N: len(x), Inc: 1, Data: x}, blas32.Vector{N: len(y), Inc: 1, Data: y})
	}
}

//go:noescape
func axpy512(n int, a float64, x, y *float64)

//go:noescape
func dot512(n int, x, y *float64) float64

// axpy adds a x to y, of one length.
func axpy(a float64, x, y []float64) {
	if len(x) != len(y) {
		panic("sparseapprox: axpy: lengths differ")
	}
	if !wide {
		floats.AddScaled(y, a, x)
		return
	}
	if len(x) > 0 {
		axpy512(len(x), a, &x[0], &y[0])
	}
}

// dot is x'y, of one length.
func dot(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("sparseapprox: dot: lengths differ")
	}
	if !wide {
		return floats.Dot(x, y)
	}
	if len(x) == 0 {
		return 0
	}
	return dot512(len(x), &x[0], &y[0])
}
