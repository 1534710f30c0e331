package klcoding

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/kernel-helpers/vmath"
	"overcomplete/ui/progress"
)

// A work holds the buffers of one goroutine.
type work struct {
	c   *Coder
	ctx context.Context
	// watch, if not nil, is called at each accepted point with the largest element of the gradient, and with w (n). watch
	// must copy w to keep it.
	watch func(gradient float64, w []float64)

	z, f   []float64 // D: Bw and the reconstruction f(Bw)
	lse    float64   // log Σ e^z, softmax only
	q, dr  []float64 // D
	v, cw  []float64 // n: gradient of the prior, and dw/dv
	dv, dw []float64 // n: a direction
	tv, tw []float64 // n: a trial point
	tc     []float64 // n
	g, h   []float64 // n: the gradient (6), and scratch
	sys    system
}

// An outcome says how one run ended.
type outcome struct {
	status   ended.Status
	steps    int
	gradient float64
}

func newWork(c *Coder, ctx context.Context) *work {
	k := &work{c: c, ctx: ctx}
	for _, p := range []*[]float64{&k.z, &k.f, &k.q, &k.dr} {
		*p = make([]float64, c.d)
	}
	for _, p := range []*[]float64{&k.v, &k.cw, &k.dv, &k.dw, &k.tv, &k.tw, &k.tc, &k.g, &k.h} {
		*p = make([]float64, c.n)
	}
	return k
}

// solve codes the signal x (D) by the method of the options. It starts from the residual r (D), and stores the code in
// w (n) and the final residual in r.
func (k *work) solve(x, r, w []float64) outcome {
	switch {
	case k.c.opt.Method == EGD:
		return k.egd(x, r, w)
	case k.c.opt.Method == NewtonCG:
		return k.codeAlone(x, r, w)
	case k.c.opt.Loss == Softmax:
		return k.logNewton(x, r, w)
	}
	return k.dual(x, r, w, 0)
}

// threshold returns two limits for the largest absolute element of the gradient of the signal x. If this element is at
// or below the first limit, a run has converged. If it is at or below the second limit and no longer falls, it is taken
// for rounding error, and the run ends.
func (k *work) threshold(x []float64) (threshold, floor float64) {
	scale := k.c.scale(x)
	if k.c.opt.Tolerance < 0 {
		return -1, 1e-10 * scale
	}
	return k.c.opt.Tolerance * scale, 1e-10 * scale
}

// transfer stores f(z) in the field f, for the z in the field z. For softmax it first adds the offset to z, and also
// computes log Σ e^z.
func (k *work) transfer() {
	if k.c.opt.Loss == Squared {
		copy(k.f, k.z)
		return
	}
	for i, b := range k.c.opt.Offset {
		k.z[i] += b
	}
	k.lse = vmath.LogSumExp(k.z)
	vmath.Softmax(k.f, k.z)
}

// loss returns D_L(x||f(z)) without the terms that do not depend on z. It must be called after transfer.
//
//	squared   ½‖x − z‖²
//	softmax   log Σ e^z − x'z
func (k *work) loss(x []float64) float64 {
	if k.c.opt.Loss == Softmax {
		return k.lse - vector.Dot(x, k.z)
	}
	var t float64
	for i, v := range x {
		e := v - k.z[i]
		t += e * e
	}
	return t / 2
}

// objective returns the objective (2) of the signal x at w (n), which need not be a minimum.
func (k *work) objective(x, w []float64) float64 {
	k.c.mul(k.z, w)
	k.transfer()
	k.c.link.gradient(k.tv, k.tc, w)
	t := k.loss(x) + k.c.opt.Lambda*k.c.link.value(w, k.tc, k.tv)
	if k.c.opt.Loss == Softmax {
		for _, v := range x {
			if v > 0 {
				t += v * math.Log(v)
			}
		}
	}
	return t
}

// gradient stores the gradient B'(f − x) + λv, equation (6), in the field g. It expects Bw in the field z. It returns
// the largest absolute element of g.
func (k *work) gradient(x, v []float64) float64 {
	k.transfer()
	for i, f := range k.f {
		k.q[i] = f - x[i]
	}
	k.c.mulT(k.g, 1, k.q)
	for j, u := range v {
		k.g[j] += k.c.opt.Lambda * u
	}
	return largest(k.g)
}

// residual stores r = x − f. It must be called after transfer.
func (k *work) residual(r, x []float64) {
	for i, f := range k.f {
		r[i] = x[i] - f
	}
}

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

// share runs the function fn in several goroutines, each with its own buffers k. The calls to fn take the N signals
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

// take returns the next range [from, to) of signals. The range holds at most size signals, and is empty if no signals
// are left.
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

// eachPiece calls fn for successive ranges [from, to), each with at most size signals, until the queue is empty or
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

// eachBatch is like eachSignal, but each call to the function fn handles a batch: the signals in [from, to), with the
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
