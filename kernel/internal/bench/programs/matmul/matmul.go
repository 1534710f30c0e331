// Package matmul multiplies two matrices that are slices of rows.
package matmul

// Run multiplies two n×n matrices and returns the trace of the product.
func Run(n int) float64 {
	a, b, c := make([][]float64, n), make([][]float64, n), make([][]float64, n)
	for i := range a {
		a[i], b[i], c[i] = make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range a[i] {
			a[i][j] = float64(i+2*j%7) * 0.5
			b[i][j] = float64(3*i%5-j) * 0.25
		}
	}
	for i := range a {
		for j := range c[i] {
			s := 0.0
			for k := range b {
				s += a[i][k] * b[k][j]
			}
			c[i][j] = s
		}
	}
	trace := 0.0
	for i := range c {
		trace += c[i][i]
	}
	return trace
}
