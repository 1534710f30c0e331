package jupyterlite

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
)

// app returns the result of App if this result is in the cache. These tests do not build the application,
// because a build takes minutes and downloads packages. The browser test and 'make jupyterlite' build the
// application.
func app(t *testing.T) string {
	t.Helper()
	folder, err := cached()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the application is not in the cache: 'make jupyterlite' puts it together (with npm)")
	}
	return folder
}

// The extension works with JupyterLite's own client, under node.
func TestExtension(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	cmd := exec.CommandContext(t.Context(), node, "--test", "--test-force-exit", filepath.Join(app(t), "test", "extension.test.cjs"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("# pass 8")) {
		t.Errorf("not all tests were run:\n%s", out)
	}
}

// The committed labextension is the current build of its source.
func TestPrebuilt(t *testing.T) {
	fresh := files(t, os.DirFS(filepath.Join(app(t), "labextension")))
	committed := files(t, must(prebuilt()))
	for name, text := range fresh {
		if committed[name] != text {
			t.Errorf("%s is not what extension/src gives: 'make jupyterlite-extension' builds it again", name)
		}
	}
	for name := range committed {
		if _, is := fresh[name]; !is {
			t.Errorf("%s is left from an earlier build", name)
		}
	}
}

// All files that the pages of a site load exist.
func TestSite(t *testing.T) {
	made := t.TempDir()
	for _, name := range []string{"static/lab.js", "schemas/all.json", "themes/theme.css"} {
		testfile.Write(t, filepath.Join(made, name), "[]")
	}
	testfile.Write(t, filepath.Join(made, "versions.json"), `{"lab": "4.6.3", "lite": "0.8.3"}`)
	notebook := filepath.Join(t.TempDir(), "a.ipynb")
	testfile.Write(t, notebook, `{"cells": []}`)
	kernel := func(folder string) (Start, error) {
		return Start{Worker: "worker-1.js", Kernel: "kernel-1.wasm"}, os.WriteFile(filepath.Join(folder, "worker-1.js"), nil, 0o644)
	}
	site := filepath.Join(t.TempDir(), "site")
	if err := Site(site, made, kernel, []string{notebook}); err != nil {
		t.Fatal(err)
	}

	var lite struct {
		Config struct {
			Extensions []federatedExtension `json:"federated_extensions"`
		} `json:"jupyter-config-data"`
	}
	read(t, filepath.Join(site, "jupyter-lite.json"), &lite)
	if len(lite.Config.Extensions) != 1 {
		t.Fatalf("extensions: %v", lite.Config.Extensions)
	}
	e := lite.Config.Extensions[0]
	if e.Name != Name || e.Extension != "./extension" {
		t.Errorf("the extension is %+v", e)
	}
	folder := filepath.Join(site, "extensions", e.Name)
	for _, name := range []string{filepath.Join(folder, e.Load), filepath.Join(folder, "live", "worker-1.js"),
		filepath.Join(site, "index.html"), filepath.Join(site, "lab", "index.html"), filepath.Join(site, "build", "static", "lab.js"),
		filepath.Join(site, "build", "schemas", "all_federated.json"), filepath.Join(site, "api", "translations", "all.json"), filepath.Join(site, "files", "a.ipynb")} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	var start Start
	read(t, filepath.Join(folder, "live", "kernel.json"), &start)
	if start.Worker != "worker-1.js" || start.Kernel != "kernel-1.wasm" {
		t.Errorf("kernel.json has %+v", start)
	}
	var root content
	read(t, filepath.Join(site, "api", "contents", contentsList), &root)
	if len(root.Content) != 1 || root.Content[0].Path != "a.ipynb" || root.Content[0].Type != "notebook" {
		t.Errorf("the contents are %+v", root.Content)
	}
	if err := Extension(filepath.Join(site, "extensions"), kernel); err == nil || !strings.Contains(err.Error(), "remove it first") {
		t.Errorf("a second time: %v", err)
	}
}

// The lock file has a checksum for each package. It names no registry, so that npm uses its configured
// registry.
func TestLock(t *testing.T) {
	var lock struct {
		Packages map[string]struct{ Version, Resolved, Integrity string }
	}
	read(t, "app/package-lock.json", &lock)
	if len(lock.Packages) < 300 {
		t.Errorf("only %d packages", len(lock.Packages))
	}
	for name, p := range lock.Packages {
		if name != "" && (p.Version == "" || !strings.HasPrefix(p.Integrity, "sha512-")) {
			t.Errorf("%s %s has the checksum %q", name, p.Version, p.Integrity)
		}
		if p.Resolved != "" {
			t.Errorf("%s is fetched from %s", name, p.Resolved)
		}
	}
}

// The application's versions are all exact. For a range npm would choose the newest version.
func TestPins(t *testing.T) {
	var p struct{ Dependencies, DevDependencies, Overrides map[string]string }
	read(t, "app/package.json", &p)
	for _, versions := range []map[string]string{p.Dependencies, p.DevDependencies, p.Overrides} {
		if len(versions) == 0 {
			t.Error("a list is empty")
		}
		for name, v := range versions {
			if strings.Trim(v, "0123456789.") != "" {
				t.Errorf("%s is %q", name, v)
			}
		}
	}
}

func files(t *testing.T, dir fs.FS) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(dir, name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func read(t *testing.T, name string, value any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, value)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
