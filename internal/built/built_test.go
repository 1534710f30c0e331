package built

import (
	"debug/buildinfo"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"overcomplete/internal/module"
)

// TestProgram checks that a program is built with the flags of this test.
func TestProgram(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: nothing can be built")
	}
	file := filepath.Join(t.TempDir(), "rename.exe")
	if err := Program(file, module.Package("internal/module/rename")); err != nil {
		t.Fatal(err)
	}
	program, err := buildinfo.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	self, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("the test does not know how it was built")
	}
	for _, key := range []string{"-trimpath", "CGO_ENABLED", "GOAMD64"} {
		if got, want := setting(program, key), setting(self, key); got != want {
			t.Errorf("%s: the program has %q, the test %q", key, got, want)
		}
	}
	if err := Program(file, module.Package("internal/nothing")); err == nil || !strings.Contains(err.Error(), "internal/nothing") {
		t.Errorf("a program that there is not: %v", err)
	}
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
