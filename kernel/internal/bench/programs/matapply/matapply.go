// Package matapply passes a closure to gonum's mat.Dense.Apply, which calls it for each element.
package matapply

import "gonum.org/v1/gonum/mat"

// Run applies a closure to each element of an n×n matrix and returns the sum of the resulting elements.
func Run(n int) float64 {
	a := mat.NewDense(n, n, nil)
	offset := 0.5
	a.Apply(func(i, j int, v float64) float64 { return v + float64(i-j)*offset + 1 }, a)
	return mat.Sum(a)
}
