package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"overcomplete/internal/built"
	"overcomplete/internal/module"
	patient "overcomplete/internal/patience"
	"overcomplete/internal/pyenv"
	"overcomplete/kernel/notebook"
)

// The tests in this file run the binary with a real Jupyter, from package pyenv or the system. Without
// Jupyter they skip with a message.

// python returns an interpreter that has the module. If there is none, it skips the test.
func python(t *testing.T, module string) string {
	t.Helper()
	py := pyenv.Python(module, pyenv.FrontEnds)
	if py == "" {
		t.Skipf("no python3 with %s: this test needs a real Jupyter", module)
	}
	return py
}

// binaries is the folder with the binary, shared by all tests that need it. TestMain removes it.
var binaries string

// builtBinary builds the binary. The test's own binary is no substitute, because install refuses
// it.
var builtBinary = sync.OnceValues(func() (binary string, err error) {
	if binaries, err = os.MkdirTemp("", "overcomplete"); err != nil {
		return "", err
	}
	binary = filepath.Join(binaries, "overcomplete")
	return binary, built.Program(binary, module.Package("cmd/overcomplete"))
})

// installKernel installs the kernel under a folder of the test, and returns an environment in which Jupyter
// looks there.
func installKernel(t *testing.T) (binary string, env []string) {
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
		"OVERCOMPLETE_HISTORY=off", // tests must not touch the user's own history
	)
}

func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a real Jupyter")
	}
	py := python(t, "jupyter_kernel_test")
	_, env := installKernel(t)
	cmd := exec.Command(py, "testdata/test_kernel.py", "-v")
	// Otherwise completion would also offer the modules that this machine has downloaded.
	cmd.Env = append(env, "GOMODCACHE="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// TestSameInJupyter runs a notebook in Jupyter and without it; the outputs must be the same. Normally it uses
// only one of Jupyter's programs (see patience.LeftOut).
func TestSameInJupyter(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a real Jupyter")
	}
	runners := []struct {
		name, modules string
		args          func(notebook, out string) []string
	}{
		{"nbconvert", "nbconvert, jupyter_client", func(notebook, out string) []string {
			return []string{"-m", "nbconvert", "--to", "notebook", "--execute", "--output", out,
				"--ExecutePreprocessor.startup_timeout=300", "--ExecutePreprocessor.iopub_timeout=120", notebook}
		}},
		{"nbclient", "nbclient, nbformat", func(notebook, out string) []string {
			return []string{"-c", `import sys, nbclient, nbformat
n = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(n, startup_timeout=300, iopub_timeout=120).execute()
nbformat.write(n, sys.argv[2])`, notebook, out}
		}},
		{"papermill", "papermill", func(notebook, out string) []string {
			return []string{"-m", "papermill", "--no-progress-bar", "--start-timeout", "300", notebook, out}
		}},
	}
	binary, env := installKernel(t)
	dir := t.TempDir()
	demo := filepath.Join(dir, "demo.ipynb")
	writeGentle(t, "testdata/demo.ipynb", demo)
	ran := map[string][][]any{}
	headless := func(t *testing.T, notebook string) [][]any {
		t.Helper()
		if list, ok := ran[notebook]; ok {
			return list
		}
		out := filepath.Join(t.TempDir(), "headless.ipynb")
		if text, err := exec.Command(binary, "run", notebook, "--out", out).CombinedOutput(); err != nil {
			t.Fatalf("overcomplete run: %v\n%s", err, text)
		}
		ran[notebook] = outputs(t, out)
		return ran[notebook]
	}
	for _, r := range runners {
		if patient.LeftOut(r.name) {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			py := python(t, r.modules)
			notebook := "testdata/demo.ipynb"
			if r.name == "papermill" {
				notebook = demo
			}
			theirs := filepath.Join(t.TempDir(), "jupyter.ipynb")
			cmd := exec.Command(py, r.args(notebook, theirs)...)
			cmd.Env = env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			a, b := outputs(t, theirs), headless(t, notebook)
			if len(a) != len(b) {
				t.Fatalf("%d cells in Jupyter, %d without", len(a), len(b))
			}
			for i := range a {
				if !reflect.DeepEqual(a[i], b[i]) {
					t.Errorf("cell %d:\nJupyter:  %.2000s\nheadless: %.2000s", i, text(t, a[i]), text(t, b[i]))
				}
			}
		})
	}
}

// writeGentle writes a notebook without the cells that are meant to fail, because papermill stops at a failing
// cell.
func writeGentle(t *testing.T, from, to string) {
	t.Helper()
	nb, err := notebook.Read(from)
	if err != nil {
		t.Fatal(err)
	}
	before := len(nb.Cells)
	nb.Cells = slices.DeleteFunc(nb.Cells, func(c *notebook.Cell) bool {
		tags, _ := c.Metadata["tags"].([]any)
		return slices.Contains(tags, any("raises-exception"))
	})
	if len(nb.Cells) == before || len(nb.Cells) == 0 {
		t.Fatalf("%d of %d cells of %s are left", len(nb.Cells), before, from)
	}
	b, err := nb.Bytes()
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// outputs returns the outputs of each code cell, as JSON values.
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
