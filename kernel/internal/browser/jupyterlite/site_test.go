package jupyterlite

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"overcomplete/kernel/internal/browser/serve"
)

// small is the notebook of the tour: only a title.
const small = `{"cells": [{"cell_type": "markdown", "id": "title", "metadata": {}, "source": "# Small"}],
 "metadata": {"kernelspec": {"name": "overcomplete", "display_name": "Go (overcomplete)", "language": "go"}}, "nbformat": 4, "nbformat_minor": 5}`

// Shared by all tests: a temporary folder, the folder of the site in it, and the error if the site could not
// be written.
var (
	once    sync.Once
	written string
	made    string
	failed  error
)

func TestMain(m *testing.M) {
	code := serve.Run(m)
	if written != "" {
		os.RemoveAll(written)
	}
	os.Exit(code)
}

// write writes the site with the given program, and returns the site's folder.
func write(binary string) (string, error) {
	dir, err := os.MkdirTemp("", "overcomplete-jupyterlite-")
	if err != nil {
		return "", err
	}
	written = dir
	notebook := filepath.Join(dir, "small.ipynb")
	if err := os.WriteFile(notebook, []byte(small), 0o600); err != nil {
		return "", err
	}
	site := filepath.Join(dir, "site")
	args := []string{"lite", "-fast", site, notebook}
	for _, name := range lectures {
		args = append(args, filepath.Join(serve.Root(), "notebooks", name))
	}
	if out, err := exec.Command(binary, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("overcomplete lite: %w\n%s", err, out)
	}
	return site, nil
}

// folder returns the site's folder, which it writes if necessary.
func folder(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("OVERCOMPLETE_JUPYTERLITE_SITE"); dir != "" {
		return dir
	}
	binary := serve.Binary(t)
	once.Do(func() { made, failed = write(binary) })
	if failed != nil && strings.Contains(failed.Error(), "cannot be put together here") {
		serve.Needed(t, "%v", failed)
	}
	if failed != nil {
		t.Fatal(failed)
	}
	return made
}

// A site serves JupyterLite under /course/lite/, as any host does.
type site struct {
	address string
	broken  atomic.Bool // the kernel's files are missing
}

func serveSite(t *testing.T) *site {
	t.Helper()
	s := new(site)
	files := http.FileServer(http.Dir(folder(t)))
	server := httptest.NewServer(http.StripPrefix("/course/lite", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.broken.Load() && strings.Contains(r.URL.Path, "/live/kernel-") {
			http.NotFound(w, r)
			return
		}
		files.ServeHTTP(w, r)
	})))
	t.Cleanup(server.Close)
	s.address = server.URL + "/course/lite/"
	return s
}

func (s *site) notebook(name string) string { return s.address + "lab/index.html?path=" + name }
