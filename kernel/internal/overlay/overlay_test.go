package overlay

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
)

// build builds the program that shows the faults.
func build(t *testing.T, o *Overlay, flags ...string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "faults.wasm")
	// -trimpath is needed because the library of a downloaded Go is linked into a folder of the test; without
	// the flag it would be recompiled each time.
	args := append([]string{"build", "-trimpath", "-o", program}, flags...)
	cmd := exec.Command(o.Go(), append(args, "./testdata/faults")...)
	cmd.Env = append(append(os.Environ(), "GOOS=js", "GOARCH=wasm"), o.Env()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// shows runs the program under node. said is the program's output.
func shows(o *Overlay, program, fault string) (said string, ok bool) {
	run := exec.Command("node", filepath.Join(o.Root, "lib", "wasm", "wasm_exec_node.js"), program, fault)
	run.Env = append(os.Environ(), "GODEBUG=invalidptr=0") // the setting that the page uses
	out, err := run.CombinedOutput()
	return string(out), err != nil || strings.TrimSpace(string(out)) != "no fault"
}

// toolchain returns the folder of the Go installation that runs the test.
func toolchain(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("the go command is not installed")
	}
	return strings.TrimSpace(string(out))
}

var faults = []string{"nilkey", "codeaddress"}

// TestOverlay checks that the repaired library has none of the faults and, in CI, that the unrepaired library
// has them.
func TestOverlay(t *testing.T) {
	patience.SkipShort(t, "it fills half a gigabyte under node")
	goroot := toolchain(t)
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	o, err := Write(t.TempDir(), goroot)
	if err != nil {
		t.Fatal(err)
	}
	repaired := build(t, o, "-overlay="+o.File)
	for _, fault := range faults {
		if said, is := shows(o, repaired, fault); is {
			t.Errorf("with the overlay %s still shows the fault:\n%.2000s", fault, said)
		}
	}
	if !patience.All() {
		return // the rest tests Go itself, and has to compile Go's library for that
	}
	faulty := build(t, o)
	for _, fault := range faults {
		if said, is := shows(o, faulty, fault); !is {
			t.Errorf("without the overlay %s says %q: this Go has no such fault. "+
				"If all of kernel/toolchain/tried.txt have none, the repair is no longer needed: remove it", fault, said)
		}
	}
}

func TestApply(t *testing.T) {
	r := repair{"f.go", "\tfaulty()\n", "\tright()\n"}
	got, err := r.apply([]byte("func f() {\n\tfaulty()\n}\n"))
	if want := "func f() {\n\tright()\n}\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{"", "func f() {\n\tx := faulty()\n}\n", strings.Repeat("\n\tfaulty()\n", 2)} {
		if _, err := r.apply([]byte(text)); err == nil || !strings.Contains(err.Error(), "faulty()") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestWriteFails(t *testing.T) {
	if _, err := Write(t.TempDir(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "map.go") {
		t.Errorf("no library: %v", err)
	}
	goroot := filepath.Join(t.TempDir(), "golang.org", "toolchain@v0.0.1-go1.99.0")
	library(t, goroot, func(repair) string { return "package other\n" })
	if _, err := Write(t.TempDir(), goroot); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("another map.go: %v", err)
	}
}

func TestDownloadedGo(t *testing.T) {
	goroot := filepath.Join(t.TempDir(), "golang.org", "toolchain@v0.0.1-go1.99.0")
	library(t, goroot, func(r repair) string { return "package faulty\n" + r.faulty })
	dir := t.TempDir()
	for range 2 { // the second run finds the files of the first
		o, err := Write(dir, goroot)
		if err != nil {
			t.Skip(err) // this system has no symbolic links
		}
		text, err := os.ReadFile(o.File)
		if err != nil || strings.Contains(string(text), "toolchain@") || !strings.HasPrefix(o.Root, dir) {
			t.Errorf("root %s, %s, %v", o.Root, text, err)
		}
		if _, err := os.Stat(filepath.Join(o.Root, filepath.FromSlash(repairs[0].file))); err != nil {
			t.Error(err)
		}
	}
}

// library writes the files that the overlay repairs.
func library(t *testing.T, goroot string, text func(repair) string) {
	t.Helper()
	files := map[string]string{}
	for _, r := range repairs {
		files[r.file] += text(r)
	}
	for name, text := range files {
		file := filepath.Join(goroot, filepath.FromSlash(name))
		testfile.Write(t, file, text)
	}
}
