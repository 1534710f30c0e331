// Package vector has the sums over slices that many packages need. There are
// two inner products, because their order of summation, and with it the last bit
// of what is calculated with them, is not the same: who calls one must not be
// moved to the other for tidiness. sparseapprox has a third, in assembly, and
// l2svm its own by space.
package vector

import "gonum.org/v1/gonum/blas/blas64"

// Of is x as a vector for blas64, with the same memory.
func Of(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// Dot is x'y, of one length, in the order of the BLAS that is in use (gonum's:
// several sums, which is fast for long vectors).
func Dot(x, y []float64) float64 { return blas64.Dot(Of(x), Of(y)) }

// DotInOrder is x'y with a single sum from the first element to the last: for short
// vectors, and where every digit shall be that of the sum as it is written. y may be
// longer than x.
func DotInOrder(x, y []float64) float64 {
	var t float64
	for i, v := range x {
		t += v * y[i]
	}
	return t
}

// Axpy adds a x to y, of one length.
func Axpy(a float64, x, y []float64) { blas64.Axpy(a, Of(x), Of(y)) }
