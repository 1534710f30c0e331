package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/kernel/internal/browser/lab4"
	"overcomplete/kernel/internal/browser/serve"
)

func TestMain(m *testing.M) { os.Exit(serve.Run(m)) }

// A server is a Jupyter that knows this kernel, in folders of the test.
type server struct{ serve.Server }

// classicNotebook is Debian's jupyter-notebook.
func classicNotebook(t *testing.T) server {
	t.Helper()
	jupyter := serve.Program(t, "/usr/bin/jupyter-notebook", "jupyter-notebook")
	version, err := exec.Command(jupyter, "--version").Output()
	if err != nil || !strings.HasPrefix(string(version), "6.") && !strings.HasPrefix(string(version), "5.") {
		serve.Needed(t, "%s is version %q (%v), not the classic Notebook", jupyter, version, err)
	}
	return server{serve.Start(t, func(s serve.Server, port int) *exec.Cmd {
		return exec.Command(jupyter, "--no-browser", "--allow-root", "--ip=127.0.0.1", fmt.Sprintf("--port=%d", port),
			"--NotebookApp.port_retries=0", "--NotebookApp.token="+s.Token, "--notebook-dir="+s.Folder)
	})}
}

// lab4Server serves JupyterLab 4 and Notebook 7.
func lab4Server(t *testing.T) server {
	t.Helper()
	python := serve.Program(t, "/usr/bin/python3", "python3")
	const check = "import jupyterlab_server, jupyter_server; print(jupyter_server.__version__)"
	out, err := exec.Command(python, "-c", check).CombinedOutput()
	if err != nil {
		serve.Needed(t, "jupyter-server and python3-jupyterlab-server are not here (apt-get install): %s", out)
	}
	if !strings.HasPrefix(string(out), "1.") {
		serve.Needed(t, "jupyter_server is version %s: lab4/app.py is for 1, as in Debian 12", out)
	}
	folder, err := lab4.Folder(t.Context())
	if errors.Is(err, lab4.ErrUnavailable) {
		serve.Needed(t, "%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return server{serve.Start(t, func(s serve.Server, port int) *exec.Cmd {
		cmd := exec.Command(python, filepath.Join(folder, "app.py"), "--no-browser", "--allow-root",
			"--ServerApp.ip=127.0.0.1", fmt.Sprintf("--ServerApp.port=%d", port), "--ServerApp.port_retries=0",
			"--ServerApp.token="+s.Token, "--ServerApp.root_dir="+s.Folder)
		cmd.Env = append(os.Environ(), "LAB4_STATE="+filepath.Join(s.Folder, "..", "state"))
		return cmd
	})}
}

// write makes a notebook of cells; those that begin with "# " are Markdown.
func (s server) write(t *testing.T, name string, cells ...string) {
	t.Helper()
	var list []map[string]any
	for _, src := range cells {
		c := map[string]any{"cell_type": "code", "source": src, "metadata": map[string]any{}, "outputs": []any{}, "execution_count": nil}
		if strings.HasPrefix(src, "# ") {
			c = map[string]any{"cell_type": "markdown", "source": src, "metadata": map[string]any{}}
		}
		list = append(list, c)
	}
	s.put(t, name, map[string]any{
		"cells": list, "nbformat": 4, "nbformat_minor": 4,
		"metadata": map[string]any{"kernelspec": map[string]any{"name": "overcomplete", "display_name": "Go (overcomplete)", "language": "go"}},
	})
}

// put writes a notebook.
func (s server) put(t *testing.T, name string, notebook any) {
	t.Helper()
	b, err := json.Marshal(notebook)
	if err == nil {
		err = os.WriteFile(filepath.Join(s.Folder, name), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
