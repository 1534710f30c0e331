package features

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The assembly in the package is what the generator writes.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generator")
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	dir := t.TempDir()
	gen := filepath.Join(dir, "gen")
	if out, err := exec.Command(goCommand, "build", "-o", gen, "./gen").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	asm, stubs := "decode_amd64.s", "decode_amd64.go"
	if out, err := exec.Command(gen, "-out", filepath.Join(dir, asm), "-stubs", filepath.Join(dir, stubs), "-pkg", "features").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{asm, stubs} {
		if !bytes.Equal(body(t, name), body(t, filepath.Join(dir, name))) {
			t.Errorf("%s is not what the generator writes: run go generate", name)
		}
	}
}

// body is a file without its first line, which has the paths of the command.
func body(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	if len(rest) < 100 {
		t.Fatalf("%s is too short", name)
	}
	return rest
}
