package klcoding

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/ui/progress"
)

// A queue hands out the signals 0 to N−1 to goroutines, until the first error.
type queue struct {
	c    *Coder
	ctx  context.Context
	what string // name in progress events
	N    int
	next atomic.Int64

	mu     sync.Mutex
	done   int
	failed error
}

// share runs the function fn in several goroutines, each with its own buffers k. The calls of fn take the N signals
// from the shared queue q, in pieces of the given size, so share starts at most one goroutine per piece. It returns the
// first error of the queue or, if the queue has no error, that of ctx.
func (c *Coder) share(ctx context.Context, what string, N, size int, fn func(k *work, q *queue)) error {
	if ctx == nil {
		ctx = context.Background()
	}
	q := &queue{c: c, ctx: ctx, what: what, N: N}
	workers := min(c.workers(), (N+size-1)/size)
	parallel.Do(workers, workers, func(int) { fn(newWork(c, ctx), q) })
	if q.failed == nil {
		return ctx.Err()
	}
	return q.failed
}

func (c *Coder) workers() int {
	if c.opt.Workers > 0 {
		return c.opt.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// take returns the next range [from, to) of signals. It has no more signals than size, and is empty if no signals are
// left.
func (q *queue) take(size int) (from, to int) {
	to = int(q.next.Add(int64(size)))
	return min(to-size, q.N), min(to, q.N)
}

// note counts n signals as done, or records an error, and reports whether to continue.
func (q *queue) note(n int, err error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed == nil {
		q.failed = err
	}
	if q.failed != nil {
		return false
	}
	for range n {
		q.done++
		progress.Report(q.c.opt.Recorder, progress.Event{What: q.what, Step: q.done, Total: q.N, Objective: math.NaN()})
	}
	return true
}

// eachPiece calls fn for successive ranges [from, to), each with no more signals than size, until the queue is empty or
// an error has occurred.
func (q *queue) eachPiece(size int, fn func(from, to int) error) {
	for {
		from, to := q.take(size)
		if from == to {
			return
		}
		err := q.ctx.Err()
		if err == nil {
			err = fn(from, to)
		}
		if !q.note(to-from, err) {
			return
		}
	}
}

// eachSignal calls the function fn once for each of the signals 0 to N−1.
func (c *Coder) eachSignal(ctx context.Context, what string, N int, fn func(k *work, i int) error) error {
	return c.share(ctx, what, N, 1, func(k *work, q *queue) {
		q.eachPiece(1, func(i, _ int) error { return fn(k, i) })
	})
}

// eachBatch is like eachSignal, but each call of the function fn handles a batch: the signals in [from, to), with the
// buffers b.
func (c *Coder) eachBatch(ctx context.Context, what string, N int, fn func(b *batch, from, to int) error) error {
	workers := c.workers()
	// Give each worker the same number of batches.
	rounds := (N + width*workers - 1) / (width * workers)
	size := (N + rounds*workers - 1) / (rounds * workers)
	return c.share(ctx, what, N, size, func(k *work, q *queue) {
		b := newBatch(k, size)
		q.eachPiece(size, func(from, to int) error { return fn(b, from, to) })
	})
}
