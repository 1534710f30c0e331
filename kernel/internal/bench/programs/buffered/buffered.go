// Package buffered fills and empties a buffered channel.
package buffered

// Run sends 100 n numbers, receives them, and returns their sum.
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
