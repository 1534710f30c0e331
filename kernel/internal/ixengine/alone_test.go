//go:build !js

package ixengine

import (
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const aloneVariable = "OVERCOMPLETE_TEST_ALONE"

// alone reports whether the test is to go on: it runs it in a process of its own otherwise. A test that fills the memory, or
// waits for collections, wants that: hundreds of other tests' sessions stay in memory, and with them a collection takes
// seconds, on a busy machine more than a cell is given. So does a test that leaves much behind, the types of many cells: all
// that run after it would pay for that.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(aloneVariable) != "" {
		return true
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-test.run=^" + t.Name() + "$", "-test.count=1", "-test.v"}, givenFlags()...)
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), aloneVariable+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const where = "in a process of its own:\n%s"
	if strings.Contains(string(out), "--- SKIP: "+t.Name()+" ") {
		t.Skipf(where, out)
	}
	t.Logf(where, out)
	return false
}

// givenFlags are the flags that say what a test does: not those that say what the process writes, to a file that is another
// process's too.
func givenFlags() (list []string) {
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "test.short" || f.Name == "test.timeout" || !strings.HasPrefix(f.Name, "test.") {
			list = append(list, "-"+f.Name+"="+f.Value.String())
		}
	})
	return list
}
