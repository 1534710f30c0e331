// Package selects asks a channel for a value without waiting.
package selects

// Run asks the channel n times, finds a value every third time, and returns the sum of the values plus the number of
// times that it found none.
func Run(n int) int {
	c := make(chan int, 1)
	sum, empty := 0, 0
	for i := range n {
		if i%3 == 0 {
			c <- i % 1009
		}
		select {
		case x := <-c:
			sum += x
		default:
			empty++
		}
	}
	return sum + empty
}
