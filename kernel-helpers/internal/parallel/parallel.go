// Package parallel distributes independent pieces of work over goroutines, and stops work when a context is done.
package parallel

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Do calls f(k) once for each k in [0, n). The number of goroutines is at most workers, or runtime.GOMAXPROCS(0) if
// workers is 0 or less. If one goroutine is enough, Do makes all calls in the caller's goroutine.
//
// When f panics in one of several goroutines, no further calls are started, and Do panics with a *Panic once the
// running calls have finished. (An unrecovered panic in a goroutine would end the process.) If several calls panic, Do
// reports the panic of the lowest k, so that the result is the same for any number of workers.
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
			// Pieces are taken in order, and each piece that is taken is finished. So if piece k has panicked, all
			// earlier pieces are finished too.
			for !fault.isSet() {
				k := int(next.Add(1)) - 1
				if k >= n {
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

// DoContext is like Do, but starts no further calls to f once ctx is done. It returns ctx's error if ctx is done,
// otherwise nil.
func DoContext(ctx context.Context, n, workers int, f func(k int)) error {
	Do(n, workers, func(k int) {
		if ctx.Err() == nil {
			f(k)
		}
	})
	return ctx.Err()
}

// Await calls f, and returns nil when f has returned. If ctx is done first, Await returns ctx's error at once, and f
// continues in its own goroutine. Await is for one long call that cannot check ctx, such as a matrix product or a
// decomposition by gonum. After an error, f may still be running: do not write memory that f reads, or read memory
// that f writes. So give f copies, never a matrix of your caller. If f panics, so does Await.
//
// operations is the approximate number of multiplications that f performs. If it is small, f runs in the caller's
// goroutine. Await then waits for f even if ctx is done meanwhile, and returns ctx's error afterwards. If ctx is done
// before the call, Await does not call f.
func Await(ctx context.Context, operations float64, f func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if operations < few || ctx.Done() == nil {
		f()
		return ctx.Err()
	}
	var fault fault
	done := make(chan struct{})
	go func() {
		defer close(done)
		fault.watch(0, func(int) { f() })
	}()
	select {
	case <-done:
		if p := fault.panic; p != nil {
			panic(p)
		}
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// few is a number of multiplications that takes about a tenth of a second.
const few = 1e8

// Grace returns a context for a computation that takes about the given number of multiplications. If the number is
// small, this context never ends, so the computation can finish even if ctx is done. Otherwise Grace returns ctx.
func Grace(ctx context.Context, operations float64) context.Context {
	if operations < few {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// A Panic is the value with which Do or Await panics after a call to f has panicked in another goroutine. It holds the
// value of f's panic and the stack at that point.
type Panic struct {
	Value any
	trace []byte
}

// Error returns the value, and the stack of the goroutine that panicked.
func (p *Panic) Error() string {
	return fmt.Sprintf("%v\n\npanicked in a worker:\n%s", p.Value, p.trace)
}

// Unwrap returns the value if it is an error, otherwise nil.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Recovered returns the value with which f panicked. This project's Jupyter kernel shows it without the stack, as if
// the caller of Do had panicked with it.
func (p *Panic) Recovered() any { return p.Value }

// A fault keeps the panic of one of the calls f(k) that Do makes. If several calls panic, it is the panic for the
// lowest k.
type fault struct {
	mu    sync.Mutex
	k     int
	panic *Panic
}

func (f *fault) isSet() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.panic != nil
}

// watch calls work(k) and records its panic.
func (f *fault) watch(k int, work func(int)) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.panic == nil || k < f.k {
			p, nested := r.(*Panic) // from a Do within the piece, whose stack is the right one
			if !nested {
				p = &Panic{r, debug.Stack()}
			}
			f.k, f.panic = k, p
		}
	}()
	work(k)
}
