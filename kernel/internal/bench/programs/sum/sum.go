// Package sum adds up half of the first n numbers.
package sum

// Run returns the sum of i/2 for i below n.
func Run(n int) float64 {
	s := 0.0
	for i := 0; i < n; i++ {
		s += float64(i) * 0.5
	}
	return s
}
