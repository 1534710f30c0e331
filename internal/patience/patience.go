// Package patience is for tests on machines that are busy, or that pause for seconds.
//
// Until and Receive wait for what must happen, with a limit that is no claim about speed. Try
// repeats a test of how fast something is, or of what must happen before something else that takes
// a set time, and judges it by the best attempt. Sleep gives work the time to proceed before it is
// stopped. A fault that would matter even if it occurred once must not be tried again.
package patience

import (
	"testing"
	"time"
)

// Long is how long a test waits before it fails.
const Long = 2 * time.Minute

// tries is the number of attempts of Try, and pause the wait after the first one. The wait doubles
// each time: five seconds in all.
const (
	tries = 7
	pause = 80 * time.Millisecond
)

// Until waits until so returns true, and ends the test if that takes too long. what says what the
// test waits for.
func Until(t testing.TB, what string, so func() bool) {
	t.Helper()
	if !Wait(so) {
		t.Fatalf("after %v: not %s", Long, what)
	}
}

// Wait is like Until for callers that report the failure themselves: it returns whether so became
// true.
func Wait(so func() bool) bool { return waitFor(so, Long) }

func waitFor(so func() bool, limit time.Duration) bool {
	for end := time.Now().Add(limit); ; time.Sleep(2 * time.Millisecond) {
		late := time.Now().After(end) // taken before so, which may block on a machine that pauses
		if so() {
			return true
		}
		if late {
			return false
		}
	}
}

// Sleep sleeps for d in many short sleeps. If the machine pauses, that ends only one of them, so
// that concurrent work still gets its time.
func Sleep(d time.Duration) {
	const naps = 20
	for range naps {
		time.Sleep(d / naps)
	}
}

// Receive returns a value received from ch, or the zero value if ch is closed. It ends the test if
// nothing arrives. It must be called by the test's own goroutine.
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

// Try calls try until it returns no fault. The test fails with the last fault if every attempt had
// one.
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
