package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
