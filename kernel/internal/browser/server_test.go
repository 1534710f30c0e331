package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/kernel/internal/browser/serve"
)

func TestMain(m *testing.M) { os.Exit(serve.Run(m)) }

// A server is a Jupyter server in which this kernel is installed. It uses folders of the test.
type server struct{ serve.Server }

// jupyterLab starts JupyterLab. JupyterLab, Notebook 7 and the classic Notebook are programs of package
// pyenv's environment. The test's scripts use the page's application object.
func jupyterLab(t *testing.T) server {
	t.Helper()
	return start(t, "jupyterlab", nil, "--expose-app-in-browser")
}

func jupyterNotebook(t *testing.T) server {
	t.Helper()
	return start(t, "notebook", nil, "--expose-app-in-browser")
}

func classicNotebook(t *testing.T) server {
	t.Helper()
	return start(t, "nbclassic", nil)
}

// start starts a Jupyter server. It disables the extensions in the list without.
func start(t *testing.T, module string, without []string, args ...string) server {
	t.Helper()
	python := serve.Python(t)
	disabled := map[string]bool{"@jupyterlab/apputils-extension:announcements": true} // this extension asks whether it may fetch news
	for _, extension := range without {
		disabled[extension] = true
	}
	return server{serve.Start(t, func(s serve.Server, port int) *exec.Cmd {
		config := filepath.Join(s.Folder, "..", "config")
		// The classic Notebook runs without ipywidgets, because its controls are the kernel's own.
		put(t, filepath.Join(config, "nbconfig", "notebook.json"), map[string]any{"load_extensions": map[string]bool{"jupyter-js-widgets/extension": false}})
		put(t, filepath.Join(config, "labconfig", "page_config.json"), map[string]any{"disabledExtensions": disabled})
		cmd := exec.Command(python, append([]string{"-m", module, "--no-browser", "--allow-root",
			"--ServerApp.ip=127.0.0.1", fmt.Sprintf("--ServerApp.port=%d", port), "--ServerApp.port_retries=0",
			"--IdentityProvider.token=" + s.Token, "--ServerApp.root_dir=" + s.Folder}, args...)...)
		cmd.Env = append(os.Environ(), "JUPYTER_PREFER_ENV_PATH=no") // these settings override the environment's own
		return cmd
	})}
}

// write writes a notebook with the given cells. A cell that begins with "# " is Markdown.
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
	put(t, filepath.Join(s.Folder, name), notebook)
}

// put writes a file, and creates its folder.
func put(t *testing.T, name string, value any) {
	t.Helper()
	b, err := json.Marshal(value)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o700)
	}
	if err == nil {
		err = os.WriteFile(name, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
