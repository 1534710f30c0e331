package ixengine

import (
	"testing"
	"time"
)

// skipOnOneThread skips a test that needs a second thread, or a process: a browser has neither. reason tells
// users what is different there.
func skipOnOneThread(t *testing.T, reason string) {
	t.Helper()
	if breathing {
		t.Skip("one thread: " + reason)
	}
}

// letRun is called by goroutines of tests that never wait; it lets others run.
func letRun() {
	if breathing {
		time.Sleep(5 * time.Millisecond) // longer than they take, or a timer would always be due
	}
}
