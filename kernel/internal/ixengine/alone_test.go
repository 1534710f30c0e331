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

// alone reports whether the test should continue in this process. If not, alone has run the test in a
// separate process. Tests that fill the memory or wait for garbage collections need a separate process: the
// sessions of hundreds of other tests stay in memory, so a collection takes seconds, and on a busy machine it
// takes longer than a cell may run. Tests that leave much in memory, such as the types of many cells, also
// run in a separate process, because they would slow down all later tests.
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

// givenFlags returns the flags that control what a test does, except the flags that name output files,
// because the main process writes those files.
func givenFlags() (list []string) {
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "test.short" || f.Name == "test.timeout" || !strings.HasPrefix(f.Name, "test.") {
			list = append(list, "-"+f.Name+"="+f.Value.String())
		}
	})
	return list
}
