// Package matflat multiplies two matrices, each stored in one slice.
package matflat

// Multiply returns the product of the n×n matrices a and b, stored row by row.
func Multiply(a, b []float64, n int) []float64 {
	c := make([]float64, n*n)
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			s := 0.0
			for k := 0; k < n; k++ {
				s += a[i*n+k] * b[k*n+j]
			}
			c[i*n+j] = s
		}
	}
	return c
}

// Run multiplies two n×n matrices and returns the trace of the product.
func Run(n int) float64 {
	a, b := make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i] = float64(i%13) * 0.5
		b[i] = float64(i%17) * 0.25
	}
	c := Multiply(a, b, n)
	trace := 0.0
	for i := 0; i < n; i++ {
		trace += c[i*n+i]
	}
	return trace
}
