package parallel

import (
	"sync/atomic"
	"testing"
)

// Each piece is done once, by no more goroutines than asked for.
func TestDo(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100} {
		for _, workers := range []int{-1, 0, 1, 3, 200} {
			times := make([]atomic.Int32, n)
			var now, most atomic.Int32
			Do(n, workers, func(k int) {
				at := now.Add(1)
				for m := most.Load(); at > m && !most.CompareAndSwap(m, at); m = most.Load() {
				}
				times[k].Add(1)
				now.Add(-1)
			})
			for k := range times {
				if times[k].Load() != 1 {
					t.Errorf("%d pieces, %d workers: piece %d was done %d times", n, workers, k, times[k].Load())
				}
			}
			if workers > 0 && int(most.Load()) > workers {
				t.Errorf("%d at the same time, %d workers", most.Load(), workers)
			}
		}
	}
}
