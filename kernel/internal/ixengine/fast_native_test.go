package ixengine

import (
	"os"
	"runtime/debug"
	"testing"

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
