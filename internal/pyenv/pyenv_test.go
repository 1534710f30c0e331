package pyenv

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
)

// Each package in a list has one version and checksums. The list includes the requested packages. No list
// names a registry, because pip uses the configured one.
func TestLists(t *testing.T) {
	pinned := regexp.MustCompile(`^[a-z0-9-]+==[0-9][0-9a-z.]*( ; [^\\]+)? \\$`)
	sum := regexp.MustCompile(`^    --hash=sha256:[0-9a-f]{64}( \\)?$`)
	for _, s := range []Set{FrontEnds, Peers, Torch, Jax} {
		packages := 0
		for i, line := range strings.Split(strings.TrimSpace(string(s.list)), "\n") {
			switch {
			case pinned.MatchString(line):
				packages++
			case i == 0 && strings.HasPrefix(line, "# "), sum.MatchString(line):
			default:
				t.Errorf("%s: line %d is %q", s.name, i+1, line)
			}
		}
		if packages < 5 {
			t.Errorf("%s has %d packages", s.name, packages)
		}
		wanted := testfile.Read(t, s.name+".in")
		for line := range strings.Lines(string(wanted)) {
			name, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(line), "_", "-"), "==") // the line may require a version
			if !strings.HasPrefix(name, "#") && !bytes.Contains(s.list, []byte("\n"+name+"==")) {
				t.Errorf("%s lacks %s", s.name, name)
			}
		}
	}
}

// A working environment is used, whoever created it. An interrupted one does not appear under the final name.
func TestMake(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the cache is elsewhere")
	}
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("PATH", dir) // no Python on the PATH
	s := Set{"few", []byte("nothing==1.0"), "OVERCOMPLETE_TEST_PYTHON", "nothing"}
	if s.Find() != "" {
		t.Error("found what nobody has made")
	}
	folder, err := s.folder()
	if err != nil || filepath.Dir(filepath.Dir(folder)) != dir || len(filepath.Base(folder)) != len("python-")+16 {
		t.Errorf("the folder is %s (%v)", folder, err)
	}
	program := func(folder, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(folder, "bin"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(interpreter(folder), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program(filepath.Join(dir, "elsewhere"), "#!/bin/sh\nexit 1\n")
	t.Setenv(s.variable, filepath.Join(dir, "elsewhere"))
	if _, err := s.Make(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("an environment that lacks what is wanted: %v", err)
	}
	t.Setenv(s.variable, "")
	program(folder, "#!/bin/sh\nexit 0\n")
	if got, err := s.Make(t.Context()); got != folder || err != nil {
		t.Errorf("made %s (%v), not %s", got, err, folder)
	}
	if s.Find() != interpreter(folder) {
		t.Errorf("found %q", s.Find())
	}
}
