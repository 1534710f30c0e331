// Package patience is for tests on machines that are busy, or that stand still for seconds.
//
// A test of what must happen waits for it, with a limit that is no claim about speed: Until,
// Receive. A test of how fast something is, or of what must happen before something else that
// takes a set time, is tried several times and judged by the best of them: Try. What must go on for a
// while before it is stopped goes on for some Sleep. What would be
// wrong if it went wrong once is not tried again.
package patience

import (
	"testing"
	"time"
)

// Long is how long a test waits for what must come, before it says that it does not.
const Long = 2 * time.Minute

// tries is how often Try tries, and pause how long it waits after the first time; then twice as long,
// and so on: five seconds in all.
const (
	tries = 7
	pause = 80 * time.Millisecond
)

// Until waits until so returns true, and ends the test if that takes too long. What says what so
// waits for.
func Until(t testing.TB, what string, so func() bool) {
	t.Helper()
	if !Wait(so) {
		t.Fatalf("after %v: not %s", Long, what)
	}
}

// Wait is Until for those who say themselves what is wrong: it returns whether so has come true.
func Wait(so func() bool) bool { return waitFor(so, Long) }

func waitFor(so func() bool, limit time.Duration) bool {
	for end := time.Now().Add(limit); ; time.Sleep(2 * time.Millisecond) {
		late := time.Now().After(end) // asked before so, which a machine that stands still may keep
		if so() {
			return true
		}
		if late {
			return false
		}
	}
}

// Sleep sleeps for d in many short sleeps, one after the other. If the machine stands still
// meanwhile that ends one of them, so that what runs beside it has its time.
func Sleep(d time.Duration) {
	const naps = 20
	for range naps {
		time.Sleep(d / naps)
	}
}

// Receive returns what comes from ch, or that it has been closed, and ends the test if nothing
// comes. It must be called by the test's own goroutine.
func Receive[T any](t testing.TB, what string, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(Long):
		t.Fatalf("after %v: no %s", Long, what)
		panic("unreachable")
	}
}

// Try calls try until it returns no fault, and is content then. The test fails with the last fault
// if there was one each time.
func Try(t testing.TB, try func() (fault string)) {
	t.Helper()
	if fault := attempt(try, pause); fault != "" {
		t.Errorf("each of %d times, the last time: %s", tries, fault)
	}
}

func attempt(try func() string, pause time.Duration) (fault string) {
	for range tries {
		if fault = try(); fault == "" {
			return ""
		}
		time.Sleep(pause)
		pause *= 2
	}
	return fault
}
