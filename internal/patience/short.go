package patience

import (
	"hash/fnv"
	"os"
	"testing"
)

// Full is the environment variable with which tests leave nothing out: neither what SkipShort skips
// with go test -short, nor what LeftOut omits without it. CI sets it.
const Full = "OVERCOMPLETE_FULL_TESTS"

// SkipShort skips a test in short runs. It is for tests that take two seconds of processor time or
// more; why says what they spend it on.
func SkipShort(t testing.TB, why string) {
	t.Helper()
	if Short() {
		t.Skip("short: ", why)
	}
}

// LeftOut reports whether to omit a test case, one of many similar ones. It omits two of three,
// chosen by their names, unless the variable Full is set. It is for tests that take long, if a
// change that breaks one case breaks many.
func LeftOut(name string) bool {
	h := fnv.New32a()
	h.Write([]byte(name))
	return os.Getenv(Full) == "" && h.Sum32()%3 != 0
}

// Short reports whether only short tests are to run.
func Short() bool { return testing.Short() && os.Getenv(Full) == "" }
