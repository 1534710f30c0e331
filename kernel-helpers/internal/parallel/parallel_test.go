package parallel

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"
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
	caught := func(n, workers int, f func(k int)) (r any) {
		defer func() { r = recover() }()
		Do(n, workers, f)
		return nil
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
	// The lowest piece counts, regardless of which panics first.
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
	// In a nested Do, the panic of the innermost piece is kept.
	r = caught(2, 2, func(int) { Do(2, 2, func(int) { panic(fault) }) })
	if p, ok := r.(*Panic); !ok || p.Value != fault {
		t.Errorf("nested: %v", r)
	}
}
