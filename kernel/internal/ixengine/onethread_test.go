package ixengine

import (
	"testing"
	"time"
)

// skipOnOneThread skips a test that needs a second thread or a second process. A browser has neither. reason
// tells users what differs in a browser.
func skipOnOneThread(t *testing.T, reason string) {
	t.Helper()
	if breathing {
		t.Skip("one thread: " + reason)
	}
}

// letRun is called by goroutines of tests that never wait. It lets other goroutines run.
func letRun() {
	if breathing {
		time.Sleep(5 * time.Millisecond) // long enough for the other goroutines; with a shorter time a timer would always be due
	}
}
