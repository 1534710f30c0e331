//go:build !noasm

package sparseapprox

import (
	"golang.org/x/sys/cpu"
	"gonum.org/v1/gonum/floats"
)

// wide says that the processor has AVX-512 and the operating system saves its
// registers.
var wide = cpu.X86.HasAVX512F

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
