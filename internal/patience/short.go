package patience

import (
	"hash/fnv"
	"os"
	"testing"
)

// Full is the environment variable that makes tests leave nothing out: neither the tests that SkipShort skips
// in short runs, nor the cases that LeftOut and Rounds omit otherwise. CI sets it.
const Full = "OVERCOMPLETE_FULL_TESTS"

// SkipShort skips a test in short runs. It is for tests that need two seconds of processor time or more. The given text
// explains how the test spends that time.
func SkipShort(t testing.TB, why string) {
	t.Helper()
	if Short() {
		t.Skip("short: ", why)
	}
}

// LeftOut reports whether to omit one of many similar test cases. It omits two of three, chosen by name, unless the
// environment variable Full is set. It is for slow tests in which a change that breaks one case usually breaks many.
func LeftOut(name string) bool {
	h := fnv.New32a()
	h.Write([]byte(name))
	return !All() && h.Sum32()%3 != 0
}

// Rounds returns how many of n similar rounds to run: all of them if the environment variable Full is set, else a
// third, but at least one. It is for tests that repeat something until a rare fault shows, and for random cases.
func Rounds(n int) int {
	if All() {
		return n
	}
	return (n + 2) / 3
}

// Short reports whether to skip long tests: the flag -short is set and the environment variable Full is not.
func Short() bool { return testing.Short() && !All() }

// All reports whether tests leave nothing out, because the environment variable Full is set.
func All() bool { return os.Getenv(Full) != "" }
