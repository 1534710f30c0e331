package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"overcomplete/internal/built"
	"overcomplete/internal/module"
	"overcomplete/kernel/notebook"
)

// The tests of this file run the binary with a real Jupyter (Debian's
// packages). They say that they skip where there is none.

// python is an interpreter that has the module, or the test is skipped.
func python(t *testing.T, module string) string {
	t.Helper()
	for _, p := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(p, "-c", "import "+module).Run() == nil {
			return p
		}
	}
	t.Skipf("no python3 with %s: this test needs a real Jupyter", module)
	return ""
}

// binaries is the folder with the binary once a test has needed it, for all of them: TestMain removes it.
var binaries string

// builtBinary builds the binary: a test's own is no substitute, for install refuses that.
var builtBinary = sync.OnceValues(func() (binary string, err error) {
	if binaries, err = os.MkdirTemp("", "overcomplete"); err != nil {
		return "", err
	}
	binary = filepath.Join(binaries, "overcomplete")
	return binary, built.Program(binary, module.Package("cmd/overcomplete"))
})

// installed installs the kernel under a folder of the test; the environment makes Jupyter look there.
func installed(t *testing.T) (binary string, env []string) {
	t.Helper()
	dir := t.TempDir()
	binary, err := builtBinary()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(binary, "install", "--prefix", dir).CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	return binary, append(os.Environ(),
		"JUPYTER_PATH="+filepath.Join(dir, "share", "jupyter"),
		"JUPYTER_DATA_DIR="+filepath.Join(dir, "data"),
		"JUPYTER_CONFIG_DIR="+filepath.Join(dir, "config"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(dir, "runtime"),
		"OVERCOMPLETE_HISTORY=off", // nothing of a test goes to the user's own
	)
}

func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a real Jupyter")
	}
	py := python(t, "jupyter_kernel_test")
	_, env := installed(t)
	cmd := exec.Command(py, "testdata/test_kernel.py", "-v")
	// What is downloaded on this machine would be completed too.
	cmd.Env = append(env, "GOMODCACHE="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// TestSameInJupyter runs a notebook in Jupyter and without it; the outputs
// must be the same.
func TestSameInJupyter(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a real Jupyter")
	}
	py := python(t, "nbconvert, jupyter_client")
	binary, env := installed(t)
	dir := t.TempDir()
	theirs, ours := filepath.Join(dir, "jupyter.ipynb"), filepath.Join(dir, "headless.ipynb")

	cmd := exec.Command(py, "-m", "nbconvert", "--to", "notebook", "--execute", "--output", theirs,
		"--ExecutePreprocessor.startup_timeout=300", "--ExecutePreprocessor.iopub_timeout=120", "testdata/demo.ipynb")
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("nbconvert: %v\n%s", err, out)
	}
	if out, err := exec.Command(binary, "run", "testdata/demo.ipynb", "--out", ours).CombinedOutput(); err != nil {
		t.Fatalf("overcomplete run: %v\n%s", err, out)
	}
	a, b := outputs(t, theirs), outputs(t, ours)
	if len(a) != len(b) {
		t.Fatalf("%d cells in Jupyter, %d without", len(a), len(b))
	}
	for i := range a {
		if !reflect.DeepEqual(a[i], b[i]) {
			t.Errorf("cell %d:\nJupyter:  %.2000s\nheadless: %.2000s", i, text(t, a[i]), text(t, b[i]))
		}
	}
}

// outputs gives the outputs of each code cell, as JSON values.
func outputs(t *testing.T, path string) (cells [][]any) {
	t.Helper()
	nb, err := notebook.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range nb.Cells {
		if c.Type != "code" {
			continue
		}
		b, err := json.Marshal(c.Outputs)
		if err != nil {
			t.Fatal(err)
		}
		var list []any
		if err := json.Unmarshal(b, &list); err != nil {
			t.Fatal(err)
		}
		cells = append(cells, list)
	}
	return cells
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\\n", "\n")
}
