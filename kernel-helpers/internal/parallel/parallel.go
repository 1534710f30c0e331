// Package parallel shares independent pieces of work among goroutines.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Do calls f(0..n-1), each once, from at most workers goroutines; 0 or less stands
// for runtime.GOMAXPROCS(0).
func Do(n, workers int, f func(k int)) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, n)
	if workers <= 1 {
		for k := range n {
			f(k)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= n {
					return
				}
				f(k)
			}
		})
	}
	wg.Wait()
}
