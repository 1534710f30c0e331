package ixengine

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"overcomplete/internal/patience"
)

// TestManyInterrupts interrupts one cell after another. In a run with CELLS=1000, half of the cells ended
// within 1.1 ms, and the slowest took 70 ms.
func TestManyInterrupts(t *testing.T) {
	s := fresh(t, Options{Grace: patience.Long})
	run(t, s, stopPrelude)
	cells := []string{
		"for { kept++; kept-- }",
		"time.Sleep(time.Hour)",
		"<-ch",
		"err = slow.Fit(background)",
		"go func() { for { } }(); for { }",
		"mu.Lock(); defer mu.Unlock(); mu.Lock()",
	}
	before := runtime.NumGoroutine()
	patience.Try(t, func() string { return interruptMany(t, s, cells) })
	ebb(t, before+3)
}

// interruptMany makes 120 interrupts, and returns a description of the fault if half of them take long, or "".
func interruptMany(t *testing.T, s *Session, cells []string) string {
	var all []time.Duration
	for i := range 120 {
		e, took := stopAfter(t, s, 3*time.Millisecond, cells[i%len(cells)])
		if e.Message != interrupted {
			t.Fatalf("interrupt %d: %v", i, e)
		}
		all = append(all, took)
		if got := run(t, s, "kept + 1")[0].Value; got != 42 {
			t.Fatalf("after interrupt %d: %v", i, got)
		}
	}
	slices.Sort(all)
	if all[len(all)/2] > 100*time.Millisecond {
		return fmt.Sprintf("cells stop after %v (median)", all[len(all)/2])
	}
	return ""
}

// ebb waits until at most n goroutines are left.
func ebb(t *testing.T, n int) {
	t.Helper()
	patience.Wait(func() bool { return runtime.NumGoroutine() <= n })
	if now := runtime.NumGoroutine(); now > n {
		t.Errorf("%d goroutines are left, at most %d should be", now, n)
	}
}

// TestInterruptedOnce: a cell that is interrupted in a function called by sync.OnceFunc or OnceValue ends as interrupted.
// Package sync takes the end of the goroutine for a panic with nil.
func TestInterruptedOnce(t *testing.T) {
	cells := []string{
		"for { afterPanic(1) }",
		"for { twice(1) }",
		"for { recovering() }",
		"v := make([]int, 4); var wg sync.WaitGroup; for { for i := range v { wg.Go(func() { v[i] = afterPanic(i) + twice(i); recovering() }) }; wg.Wait() }",
	}
	for _, l := range Levels {
		undo := l.Force()
		// Not the usual 300 ms: in a browser, with the memory of all tests, a garbage collection takes longer.
		s := fresh(t, Options{Grace: patience.Long})
		run(t, s, `import ("sync"; "fmt")
func busy(n int) int { if n < 2 { return n }; return (busy(n-1) + busy(n-2)) % 1009 }
func afterPanic(n int) int {
	f := sync.OnceFunc(func() { busy(14); panic(n) })
	texts := make([]string, 5)
	var wg sync.WaitGroup
	for i := range texts {
		wg.Go(func() {
			defer func() { texts[i] = fmt.Sprint(recover()) }()
			f()
		})
	}
	wg.Wait()
	return len(texts[0])
}
func twice(n int) int { f := sync.OnceValue(func() int { return busy(15) }); return f() + f() }
func recovering() { defer func() { recover() }(); f := sync.OnceValue(func() int { defer func() { busy(3) }(); return busy(15) }); f(); f() }`)
		for i := range 32 {
			e, _ := stopAfter(t, s, time.Duration(1+i%7)*time.Millisecond, cells[i%len(cells)])
			if e.Message != interrupted {
				t.Errorf("%s, %s: %v", l.Name, cells[i%len(cells)], e)
				break
			}
		}
		undo()
	}
}
