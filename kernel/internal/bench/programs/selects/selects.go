// Package selects receives from a channel without waiting, with select and default.
package selects

// Run tries to receive a value n times, and finds one every third time. It returns the sum of the values plus the
// number of times that there was none.
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
