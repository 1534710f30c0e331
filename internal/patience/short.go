package patience

import (
	"hash/fnv"
	"os"
	"testing"
)

// Full is the variable of the environment with which tests leave nothing out: neither what SkipShort skips
// with go test -short, nor what LeftOut leaves out without it. CI sets it.
const Full = "OVERCOMPLETE_FULL_TESTS"

// SkipShort skips a test in short runs. It is for tests that take two seconds of processor time or
// more; why says what they spend it on.
func SkipShort(t testing.TB, why string) {
	t.Helper()
	if Short() {
		t.Skip("short: ", why)
	}
}

// LeftOut reports whether a case, one of many alike, is left out: two of three are, chosen by their names, unless the
// variable Full is set. A test that uses it takes long, and a change that breaks it breaks it for many cases.
func LeftOut(name string) bool {
	h := fnv.New32a()
	h.Write([]byte(name))
	return os.Getenv(Full) == "" && h.Sum32()%3 != 0
}

// Short reports whether only short tests are to run.
func Short() bool { return testing.Short() && os.Getenv(Full) == "" }
