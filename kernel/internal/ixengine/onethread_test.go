package ixengine

import (
	"testing"
	"time"
)

// skipOnOneThread skips a test of what needs a second thread, or a process: in a browser there is
// neither. reason tells users what is different there.
func skipOnOneThread(t *testing.T, reason string) {
	t.Helper()
	if breathing {
		t.Skip("one thread: " + reason)
	}
}

// letRun is called by goroutines of tests that never wait.
func letRun() {
	if breathing {
		time.Sleep(5 * time.Millisecond) // longer than what they do, or a timer would always be due
	}
}
