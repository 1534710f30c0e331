//go:build !amd64 || noasm

package sparseapprox

import "gonum.org/v1/gonum/floats"

// wide can only be true where there is assembly.
var wide = false

// axpy adds a x to y, of one length.
func axpy(a float64, x, y []float64) { floats.AddScaled(y, a, x) }

// dot is x'y, of one length.
func dot(x, y []float64) float64 { return floats.Dot(x, y) }
