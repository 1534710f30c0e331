// Package parallel shares independent pieces of work among goroutines.
package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Do calls f(0..n-1), each once, from at most workers goroutines; 0 or less means
// runtime.GOMAXPROCS(0).
//
// When f panics, no further pieces are started, and Do panics once the running pieces
// have finished: a panic in a goroutine that nobody waits for would end the
// process. Of several panics Do takes the one of the lowest k, so that it is the same
// for any number of workers.
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
	var fault fault
	for range workers {
		wg.Go(func() {
			for {
				// Pieces are started in order: if k has panicked, all earlier ones have started.
				k := int(next.Add(1)) - 1
				if k >= n || fault.is() {
					return
				}
				fault.watch(k, f)
			}
		})
	}
	wg.Wait()
	if p := fault.panic; p != nil {
		panic(p)
	}
}

// A Panic is the value with which Do panics: the value that f panicked with, and where.
type Panic struct {
	Value any
	trace []byte
}

// Error returns the value, and the stack of the goroutine that panicked.
func (p *Panic) Error() string {
	return fmt.Sprintf("%v\n\npanicked in a worker:\n%s", p.Value, p.trace)
}

// Unwrap returns the value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Recovered returns the value for the kernel, which shows it without the
// stack, as if the caller of Do had panicked with it.
func (p *Panic) Recovered() any { return p.Value }

// A fault keeps the panic of the lowest piece.
type fault struct {
	mu    sync.Mutex
	k     int
	panic *Panic
}

func (f *fault) is() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.panic != nil
}

// watch calls work(k) and keeps its panic.
func (f *fault) watch(k int, work func(int)) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.panic == nil || k < f.k {
			p, nested := r.(*Panic) // of a Do within a piece: its worker is where it happened
			if !nested {
				p = &Panic{r, debug.Stack()}
			}
			f.k, f.panic = k, p
		}
	}()
	work(k)
}
