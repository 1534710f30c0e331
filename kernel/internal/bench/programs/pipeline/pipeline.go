// Package pipeline passes numbers through two channels. One goroutine sends them, two change them, and one adds up the
// results.
package pipeline

import "sync"

// Run passes n numbers through the pipeline and returns the sum of the results.
func Run(n int) int {
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
