package ixengine

import (
	"os"
	"testing"

	"overcomplete/kernel/internal/regcode"
)

// With OVERCOMPLETE_TEST_NATIVE=1 all tests run with each loop compiled at its first turn.
func TestMain(m *testing.M) {
	if os.Getenv("OVERCOMPLETE_TEST_NATIVE") != "" {
		regcode.Hot = 0
		callsBefore = 0
	}
	os.Exit(m.Run())
}
