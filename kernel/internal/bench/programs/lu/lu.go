// Package lu factors a matrix into two triangular matrices, with partial pivoting.
package lu

import "math"

// Run factors an n×n matrix and returns the logarithm of its determinant's absolute value.
func Run(n int) float64 {
	a := make([][]float64, n)
	seed := 1
	for i := range a {
		a[i] = make([]float64, n)
		for j := range a[i] {
			seed = (seed*1103515245 + 12345) & 0x7fffffff
			a[i][j] = float64(seed)/0x80000000 - 0.5
		}
	}
	for k := range n {
		pivot := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[pivot][k]) {
				pivot = i
			}
		}
		a[k], a[pivot] = a[pivot], a[k]
		for i := k + 1; i < n; i++ {
			a[i][k] /= a[k][k]
			for j := k + 1; j < n; j++ {
				a[i][j] -= a[i][k] * a[k][j]
			}
		}
	}
	sum := 0.0
	for k := range n {
		sum += math.Log(math.Abs(a[k][k]))
	}
	return sum
}
