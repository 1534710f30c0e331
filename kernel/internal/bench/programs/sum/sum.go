// Package sum adds up numbers in a loop.
package sum

// Run returns the sum of i/2 for i from 0 to n-1.
func Run(n int) float64 {
	s := 0.0
	for i := 0; i < n; i++ {
		s += float64(i) * 0.5
	}
	return s
}
