package ixengine

import (
	"os"
	"runtime/debug"
	"testing"
	"time"

	"overcomplete/kernel/internal/regcode"
)

// TestMain makes garbage collections rarer, because the sessions of all tests stay in memory and collections
// would take a third of the time. With OVERCOMPLETE_TEST_NATIVE=1, each loop is compiled to native code at
// its first iteration.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
	}
	if os.Getenv("OVERCOMPLETE_TEST_NATIVE") != "" {
		regcode.Hot = 0
	}
	os.Exit(m.Run())
}

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
