package patience

import (
	"os"
	"testing"
)

// Full is the variable of the environment with which tests leave nothing out, also those that are asked to be short: CI sets
// it where go test -short is for other tests than those that call SkipShort.
const Full = "OVERCOMPLETE_FULL_TESTS"

// SkipShort skips a test that takes two seconds of processor time and more when only short ones are to run. Why says what it does
// with them.
func SkipShort(t testing.TB, why string) {
	t.Helper()
	if Short() {
		t.Skip("short: ", why)
	}
}

// Short reports whether only short tests are to run.
func Short() bool { return testing.Short() && os.Getenv(Full) == "" }
