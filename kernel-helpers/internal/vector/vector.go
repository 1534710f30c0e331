// Package vector has the sums over slices that many packages need. There are
// two inner products, because they sum in different orders, which changes the last bit
// of all results that depend on them: a caller of one must not be moved to the other for
// the sake of tidiness. sparseapprox has a third, in assembly, and l2svm has its own for
// each kind of space.
package vector

import "gonum.org/v1/gonum/blas/blas64"

// Of returns x as a vector for blas64, in the same memory.
func Of(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// Dot returns x'y, of one length, in the order of the BLAS in use (gonum's takes
// several sums, which is fast for long vectors).
func Dot(x, y []float64) float64 { return blas64.Dot(Of(x), Of(y)) }

// DotInOrder returns x'y with a single sum from the first element to the last. It is for
// short vectors, and for results that must have every digit of the sum as written. y may
// be longer than x.
func DotInOrder(x, y []float64) float64 {
	var t float64
	for i, v := range x {
		t += v * y[i]
	}
	return t
}

// Axpy adds a x to y; both have the same length.
func Axpy(a float64, x, y []float64) { blas64.Axpy(a, Of(x), Of(y)) }
