package lab

import (
	"context"
	"runtime"
	"sync"
)

// Parallel calls f for 0 to n−1, as many at a time as there are processors. What is
// computed must not depend on their order. It panics with what f panicked with, of several
// calls with that of the least number; and if ctx ends before all have begun.
func Parallel(ctx context.Context, n int, f func(i int)) {
	failed := make([]any, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				failed[i] = recovered(func() { f(i) })
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, p := range failed {
		if p != nil {
			panic(p)
		}
	}
	Heed(ctx)
}

// recovered is what f panics with, nil if it returns.
func recovered(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}
