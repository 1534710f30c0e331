//go:build !amd64 || noasm

package sparseapprox

import (
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
)

// wide and half can only be true where there is assembly.
var wide, half = false, false

// axpy adds a x to y, of one length.
func axpy(a float64, x, y []float64) { floats.AddScaled(y, a, x) }

// dot is x'y, of one length.
func dot(x, y []float64) float64 { return floats.Dot(x, y) }

// axpy32 adds a x to y, of one length.
func axpy32(a float32, x, y []float32) {
	blas32.Axpy(a, blas32.Vector{N: len(x), Inc: 1, Data: x}, blas32.Vector{N: len(y), Inc: 1, Data: y})
}
