package toolchain

import (
	"fmt"
	"go/build/constraint"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
)

func TestMinor(t *testing.T) {
	for version, want := range map[string]int{
		"go1.26.8": 26, "go1.27rc1": 27, "go1.27": 27, "devel go1.28-abc Tue": 28, "go1.27.0 X:nodwarf5": 27, "go1.30.1-custom": 30, "": 0, "gccgo": 0, "cargo1.27": 0,
	} {
		if got := Minor(version); got != want {
			t.Errorf("Minor(%q) = %d, want %d", version, got, want)
		}
	}
}

// TestTried: the tried versions are complete, one for each minor version, in order. The tests run with one of
// them.
func TestTried(t *testing.T) {
	list := Tried()
	if len(list) < 2 || !slices.IsSortedFunc(list, func(a, b string) int { return Minor(a) - Minor(b) }) {
		t.Fatalf("%q", list)
	}
	minors := map[int]bool{}
	for _, v := range list {
		if !regexp.MustCompile(`^go1\.\d+\.\d+$`).MatchString(v) || minors[Minor(v)] {
			t.Errorf("%q is no whole version, or the second of its minor", v)
		}
		minors[Minor(v)] = true
	}
	if !minors[Current()] && Current() < Minor(Newest()) {
		t.Errorf("this is go1.%d, of which no version is in %q", Current(), list)
	}
}

// TestUntried: untried.go refuses Go versions from the first untried one on, and names the newest tried
// version.
func TestUntried(t *testing.T) {
	text := testfile.Read(t, "untried.go")
	line, _, _ := strings.Cut(string(text), "\n")
	x, err := constraint.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	// holds reports whether go1.n compiles untried.go.
	holds := func(n int, untried bool) bool {
		return x.Eval(func(tag string) bool {
			if tag == "untried" {
				return untried
			}
			return Minor(tag) <= n
		})
	}
	if newest := Minor(Newest()); holds(newest, false) || !holds(newest+1, false) || holds(newest+1, true) {
		t.Errorf("%s does not refuse what is newer than %s, and that alone", line, Newest())
	}
	if name := strings.ReplaceAll(Newest(), ".", "_"); !strings.Contains(string(text), "GOTOOLCHAIN_to_"+name+"\n") {
		t.Errorf("untried.go does not name %s", Newest())
	}
}

func ExampleMinor() {
	fmt.Println(Minor("go1.27.0"))
	// Output: 27
}

// TestMake: if the installed Go is too new, make uses the newest tried version, or says what to install. A
// script pretends to be the installed Go.
func TestMake(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make")
	}
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no shell")
	}
	run := func(t *testing.T, version string, canSwitch bool, flags ...string) (string, error) {
		t.Helper()
		other := "exit 1"
		if canSwitch {
			other = "echo $GOTOOLCHAIN"
		}
		fake := filepath.Join(t.TempDir(), "go")
		script := "#!/bin/sh\nif [ \"$1\" = env ]; then\n\tcase \"$GOTOOLCHAIN\" in go1*) " + other + ";; *) echo '" + version + "';; esac\nelse\n\techo \"go $* with GOTOOLCHAIN=$GOTOOLCHAIN\"\nfi\n"
		if err := os.WriteFile(fake, []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("make", append([]string{"--no-print-directory", "-C", "../..", "build", "GO=" + fake, "BIN=" + filepath.Join(t.TempDir(), "x")}, flags...)...)
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "GOTOOLCHAIN=") && !strings.HasPrefix(v, "MAKE") && !strings.HasPrefix(v, "MFLAGS=") && !strings.HasPrefix(v, "GOFLAGS=") {
				cmd.Env = append(cmd.Env, v)
			}
		}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	newest := Newest()
	for _, version := range append(Tried(), "go1.27.9", "devel go1.27-0123456 X:simd") {
		out, err := run(t, version, true)
		if err != nil || strings.Contains(out, "nobody") || !strings.HasSuffix(out, "GOTOOLCHAIN=\n") {
			t.Errorf("%s: %v\n%s", version, err, out)
		}
	}
	for _, version := range []string{"go1.28.0", "go1.29rc1", "devel go1.30-0123456"} {
		out, err := run(t, version, true)
		if err != nil || !strings.Contains(out, "has not been tried with "+version+" yet") || !strings.HasSuffix(out, "GOTOOLCHAIN="+newest+"\n") {
			t.Errorf("%s: %v\n%s", version, err, out)
		}
		out, err = run(t, version, false)
		if err == nil || !strings.Contains(out, "Install "+newest) {
			t.Errorf("%s without a network: %v\n%s", version, err, out)
		}
		out, err = run(t, version, false, "GOFLAGS=-tags=untried")
		if err != nil || strings.Contains(out, "nobody") {
			t.Errorf("%s all the same: %v\n%s", version, err, out)
		}
	}
}
