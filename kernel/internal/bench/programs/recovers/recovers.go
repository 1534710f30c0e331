// Package recovers guards a function against panics that do not happen.
package recovers

func quotient(a, b int) (q int) {
	defer func() {
		if recover() != nil {
			q = -1
		}
	}()
	return a / b
}

// Run adds n quotients.
func Run(n int) int {
	sum := 0
	for i := range n {
		sum += quotient(i, i%7+1)
	}
	return sum
}
