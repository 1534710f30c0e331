package parallel

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"overcomplete/internal/panics"
)

// Each piece is done once, by at most the requested number of goroutines.
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

// A panic of a piece becomes a panic of Do, with its value and stack.
func TestPanic(t *testing.T) {
	fault := errors.New("piece 3 is odd")
	caught := func(n, workers int, f func(k int)) any {
		return panics.Value(func() { Do(n, workers, f) })
	}
	var after atomic.Int32
	r := caught(1000, 4, func(k int) {
		if k == 3 {
			panic(fault)
		}
		if k > 3 {
			after.Add(1)
			time.Sleep(time.Millisecond)
		}
	})
	p, ok := r.(*Panic)
	if !ok || p.Value != fault || p.Recovered() != fault || !errors.Is(p, fault) {
		t.Fatalf("panicked with %v", r)
	}
	if text := p.Error(); !strings.HasPrefix(text, fault.Error()) || !strings.Contains(text, "parallel.TestPanic") {
		t.Errorf("it says %q", text)
	}
	if after.Load() > 500 {
		t.Errorf("%d pieces were begun after the panic", after.Load())
	}
	// The panic of the lowest piece is used, no matter which piece panics first.
	for range 20 {
		begun := make(chan bool)
		r := caught(8, 8, func(k int) {
			switch k {
			case 2:
				<-begun
				panic("two")
			case 5:
				defer close(begun)
				panic("five")
			}
		})
		if p, ok := r.(*Panic); !ok || p.Value != "two" {
			t.Fatalf("panicked with %v, want two", r)
		}
	}
	// With one worker, f runs on the caller's own stack, and the value is not wrapped.
	if r := caught(5, 1, func(int) { panic(fault) }); r != fault {
		t.Errorf("one worker: %v", r)
	}
	// With nested calls to Do, the panic of the innermost piece is kept.
	r = caught(2, 2, func(int) { Do(2, 2, func(int) { panic(fault) }) })
	if p, ok := r.(*Panic); !ok || p.Value != fault {
		t.Errorf("nested: %v", r)
	}
}

// When the context is done, no further pieces are started.
func TestDoContext(t *testing.T) {
	for _, workers := range []int{1, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		var begun atomic.Int32
		err := DoContext(ctx, 1000, workers, func(int) {
			switch n := begun.Add(1); {
			case n == 5:
				cancel()
			case n > 5:
				<-ctx.Done()
			}
		})
		if !errors.Is(err, context.Canceled) || begun.Load() > int32(4+workers) {
			t.Errorf("%d workers: %v after %d pieces", workers, err, begun.Load())
		}
		begun.Store(0)
		if err := DoContext(t.Context(), 1000, workers, func(int) { begun.Add(1) }); err != nil || begun.Load() != 1000 {
			t.Errorf("%d workers: %v after %d of 1000 pieces", workers, err, begun.Load())
		}
	}
}

// A computation with few operations may continue after its context is done.
func TestGrace(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Grace(ctx, 1e6).Err(); err != nil {
		t.Error(err)
	}
	if err := Grace(ctx, 1e9).Err(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Await waits for the call, unless the context is done.
func TestAwait(t *testing.T) {
	for _, ctx := range []context.Context{context.Background(), t.Context()} {
		for _, operations := range []float64{1, 1e10} {
			called := false
			if err := Await(ctx, operations, func() { called = true }); err != nil || !called {
				t.Errorf("%v, called %t", err, called)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	release, finished := make(chan bool), make(chan bool)
	err := Await(ctx, 1e10, func() {
		cancel()
		<-release
		close(finished)
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(release)
	<-finished
	if err := Await(ctx, 1, func() { t.Error("called after the end") }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	fault := errors.New("no")
	if err, ok := panics.Value(func() { Await(t.Context(), 1e10, func() { panic(fault) }) }).(error); !ok || !errors.Is(err, fault) {
		t.Errorf("panicked with %v", err)
	}
}
