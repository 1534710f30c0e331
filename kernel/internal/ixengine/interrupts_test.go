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
