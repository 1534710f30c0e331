package programs

import (
	"sync"
)

//program:pingpong

// PingPong lets two goroutines pass a number back and forth n times, and returns its last value. Each goroutine
// changes the number before passing it on.
func PingPong(n int) int {
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

//program:buffered

// Buffered fills and empties a buffered channel of capacity 100, n times. It returns the sum of the numbers received.
func Buffered(n int) int {
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

//program:pipeline

// Pipeline passes n numbers through a pipeline and returns the sum of the results. The pipeline has two channels.
// One goroutine sends the numbers, two change them, and one adds up the results.
func Pipeline(n int) int {
	in, out := make(chan int, 64), make(chan int, 64)
	go func() {
		for i := range n {
			in <- i
		}
		close(in)
	}()
	var workers sync.WaitGroup
	for range 2 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for x := range in {
				out <- x * x % 1009
			}
		}()
	}
	total := make(chan int)
	go func() {
		sum := 0
		for y := range out {
			sum += y
		}
		total <- sum
	}()
	workers.Wait()
	close(out)
	return <-total
}

//program:selects

// Selects tries to receive a value n times, and finds one every third time. It returns the sum of the values plus the
// number of times that there was none. It receives from a channel without waiting, with select and default.
func Selects(n int) int {
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
