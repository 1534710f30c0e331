// Package pingpong lets two goroutines pass a number back and forth.
package pingpong

// Run passes a number back and forth n times and returns its last value. Each goroutine changes the number before
// passing it on.
func Run(n int) int {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for x := range ping {
			pong <- x + 1
		}
		close(pong)
	}()
	x := 0
	for range n {
		ping <- 3 * x % 1009
		x = <-pong
	}
	close(ping)
	return x
}
