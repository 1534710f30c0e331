// Package matat computes the product of two gonum matrices with their methods At and Set, which access one element at
// a time.
package matat

import "gonum.org/v1/gonum/mat"

// Run multiplies two n×n matrices and returns the trace of the product.
func Run(n int) float64 {
	a, b, c := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, float64((i*7+j*3)%11))
			b.Set(i, j, float64((i*5+j)%13))
		}
	}
	for i := range n {
		for j := range n {
			sum := 0.0
			for k := range n {
				sum += a.At(i, k) * b.At(k, j)
			}
			c.Set(i, j, sum)
		}
	}
	trace := 0.0
	for i := range n {
		trace += c.At(i, i)
	}
	return trace
}
