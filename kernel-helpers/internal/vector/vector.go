// Package vector has the operations on slices that many packages need. Its two inner products, Dot and DotInOrder, sum
// in different orders. Do not replace one by the other just for tidiness: this would change the last bits of results.
// Packages sparseapprox and l2svm have inner products of their own.
package vector

import "gonum.org/v1/gonum/blas/blas64"

// Of returns x as a blas64 vector that shares its memory.
func Of(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// Dot returns x'y, for x and y of the same length, in the summation order of the BLAS in use (gonum uses
// several partial sums, which is fast for long vectors).
func Dot(x, y []float64) float64 { return blas64.Dot(Of(x), Of(y)) }

// DotInOrder returns x'y, summed from the first element to the last. It is for short vectors, and for results
// that must have the exact bits of this order. y may be longer than x.
func DotInOrder(x, y []float64) float64 {
	var t float64
	for i, v := range x {
		t += v * y[i]
	}
	return t
}

// Axpy adds a x to y. x and y have the same length.
func Axpy(a float64, x, y []float64) { blas64.Axpy(a, Of(x), Of(y)) }
