// Package pipeline passes numbers through two channels: one goroutine sends, two work, one collects.
package pipeline

import "sync"

// Run passes n numbers through the pipeline and returns the sum of what arrives.
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
