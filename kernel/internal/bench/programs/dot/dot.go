// Package dot multiplies two vectors.
package dot

// Dot returns the scalar product of a and b, which are equally long.
func Dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// Run computes the scalar product of two vectors of length n five times, and returns the sum of the results.
func Run(n int) float64 {
	a, b := make([]float64, n), make([]float64, n)
	for i := range a {
		a[i] = float64(i%1000) * 0.25
		b[i] = float64(i%777) * 0.5
	}
	s := 0.0
	for range 5 {
		s += Dot(a, b)
	}
	return s
}
