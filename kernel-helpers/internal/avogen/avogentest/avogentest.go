// Package avogentest tests that the committed assembly of a package equals the output of its generator.
package avogentest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/built"
)

// Current builds ./gen and compares its output for AVX-512, AVX2 and NEON with the files in the package's folder, which
// is the working directory of the package's tests.
func Current(t *testing.T, pkg string) {
	t.Helper()
	compare(t, pkg, []string{"avx512_amd64", "avx2_amd64", "neon_arm64"}, func(file string) []string {
		isa, _, _ := strings.Cut(file, "_")
		return []string{"-isa", isa}
	})
}

// One is like Current, for a generator that writes name_amd64.s (AVX2) and name_arm64.s (NEON) with their stubs.
func One(t *testing.T, pkg, name string) {
	t.Helper()
	compare(t, pkg, []string{name + "_amd64", name + "_arm64"}, func(file string) []string {
		if strings.HasSuffix(file, "_arm64") {
			return []string{"-isa", "neon"}
		}
		return nil
	})
}

// NEON is like Current, for a generator that writes only neon_arm64.s and its stubs.
func NEON(t *testing.T, pkg string) {
	t.Helper()
	compare(t, pkg, []string{"neon_arm64"}, func(string) []string { return nil })
}

func compare(t *testing.T, pkg string, files []string, flags func(file string) []string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the generator")
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	if err := built.Depend("./gen"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	gen := filepath.Join(dir, "gen")
	build := exec.Command(goCommand, append(append([]string{"build"}, built.Flags()...), "-o", gen, "./gen")...)
	build.Env = append(os.Environ(), "GOOS=", "GOARCH=") // build for this machine, even if the tests run for another
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, file := range files {
		asm, stubs := file+".s", file+".go"
		args := append(flags(file), "-out", filepath.Join(dir, asm), "-stubs", filepath.Join(dir, stubs), "-pkg", pkg)
		if out, err := exec.Command(gen, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, name := range []string{asm, stubs} {
			if !bytes.Equal(body(t, name), body(t, filepath.Join(dir, name))) {
				t.Errorf("%s is not what the generator writes: run go generate", name)
			}
		}
	}
}

// body returns a file without its first line, which contains paths from the generator's command line.
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
