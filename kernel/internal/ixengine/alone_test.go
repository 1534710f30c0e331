//go:build !js

package ixengine

import (
	"os"
	"os/exec"
	"testing"
)

const aloneVariable = "OVERCOMPLETE_TEST_ALONE"

// alone reports whether the test is to go on: it runs it in a process of its own otherwise. A test that fills the memory, or
// waits for collections, wants that: hundreds of other tests' sessions stay in memory, and with them a collection takes
// seconds, on a busy machine more than a cell is given.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(aloneVariable) != "" {
		return true
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^"+t.Name()+"$", "-test.count=1", "-test.v")
	cmd.Env = append(os.Environ(), aloneVariable+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("in a process of its own:\n%s", out)
	return false
}
