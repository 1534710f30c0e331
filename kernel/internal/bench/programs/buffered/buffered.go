// Package buffered fills and empties a buffered channel.
package buffered

// Run fills and empties a channel of capacity 100, n times. It returns the sum of the numbers received.
func Run(n int) int {
	c := make(chan int, 100)
	sum := 0
	for i := range n {
		for j := range cap(c) {
			c <- i ^ j
		}
		for range cap(c) {
			sum += <-c
		}
	}
	return sum
}
