// Package recovers calls a function that would recover from a panic, but never panics.
package recovers

func quotient(a, b int) (q int) {
	defer func() {
		if recover() != nil {
			q = -1
		}
	}()
	return a / b
}

// Run returns the sum of n quotients.
func Run(n int) int {
	sum := 0
	for i := range n {
		sum += quotient(i, i%7+1)
	}
	return sum
}
