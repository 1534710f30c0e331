package lab

import (
	"context"
	"runtime"
	"sync"
)

// Parallel calls f(0) to f(n−1), as many at a time as there are processors. The results must not depend on
// the order of the calls. If calls panic, Parallel panics with the panic value of the call that has the
// lowest number. It also panics if ctx is done before all calls have begun.
func Parallel(ctx context.Context, n int, f func(i int)) {
	failed := make([]any, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				failed[i] = catchPanic(func() { f(i) })
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

// catchPanic calls f and returns the value that it panics with, or nil if it returns.
func catchPanic(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}
