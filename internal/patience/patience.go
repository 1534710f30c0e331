// Package patience is for tests on machines that are busy, or that pause for seconds.
//
// Until and Receive wait for an event; their time limit makes no claim about speed. Try repeats a test that depends on
// timing, such as a speed test or a race against a fixed delay, until an attempt succeeds. Sleep gives concurrent work
// time to proceed before the test stops it. Do not use Try if a single failure already shows a bug.
package patience

import (
	"testing"
	"time"
)

// Long is how long a test waits before it fails.
const Long = 2 * time.Minute

// tries is the number of attempts of Try. pause is the wait after the first attempt. The wait doubles after each
// further attempt; all waits together last five seconds.
const (
	tries = 7
	pause = 80 * time.Millisecond
)

// Until calls the given function repeatedly, until it returns true. If this takes longer than Long, Until ends the
// test, with a message that contains the given description of the condition.
func Until(t testing.TB, what string, so func() bool) {
	t.Helper()
	if !Wait(so) {
		t.Fatalf("after %v: not %s", Long, what)
	}
}

// Wait is like Until for callers that report the failure themselves: it reports whether the condition became
// true.
func Wait(so func() bool) bool { return waitFor(so, Long) }

func waitFor(so func() bool, limit time.Duration) bool {
	for end := time.Now().Add(limit); ; time.Sleep(2 * time.Millisecond) {
		late := time.Now().After(end) // computed before the call, which may block on a machine that pauses
		if so() {
			return true
		}
		if late {
			return false
		}
	}
}

// Sleep sleeps for d in many short sleeps. If the machine pauses, the pause ends only one of these sleeps, so
// concurrent work still gets its time.
func Sleep(d time.Duration) {
	const naps = 20
	for range naps {
		time.Sleep(d / naps)
	}
}

// Receive returns a value received from ch, or the zero value if ch is closed. If no value arrives within Long, Receive
// ends the test. The message contains the given description of the value. Receive must be called on the test's own
// goroutine.
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

// Try calls the function f until an attempt returns no fault, at most seven times, with growing pauses. If every
// attempt returns a fault, the test fails with the last fault.
func Try(t testing.TB, f func() (fault string)) {
	t.Helper()
	if fault := attempt(f, pause); fault != "" {
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
