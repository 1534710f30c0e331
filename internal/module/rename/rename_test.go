package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/module"
	"overcomplete/internal/testfile"
)

// TestRename renames a small module.
func TestRename(t *testing.T) {
	p := module.Path
	const to = "example.org/you/over.v2"
	files := map[string][2]string{
		"go.mod":         {"module " + p + "\n\ngo 1.26\n", "module " + to + "\n\ngo 1.26\n"},
		"nested/go.mod":  {"module " + p + "/paper/x\n\nrequire " + p + " v0.0.0\n\nreplace " + p + " => ../\n", "module " + to + "/paper/x\n\nrequire " + to + " v0.0.0\n\nreplace " + to + " => ../\n"},
		"ui/a.go":        {"package a\n\nimport (\n\t_ \"fmt\"\n\n\t_ \"gonum.org/v1/plot\"\n\t_ \"" + p + "/data\"\n)\n", "package a\n\nimport (\n\t_ \"fmt\"\n\n\t_ \"" + to + "/data\"\n\t_ \"gonum.org/v1/plot\"\n)\n"},
		"notebooks/n.md": {"import `" + p + "/kernel-helpers/pca` or \\\"" + p + "/ui/display\\\"\n", "import `" + to + "/kernel-helpers/pca` or \\\"" + to + "/ui/display\\\"\n"},
		remembering:      {"package bindings\n\nvar formerly = []string{}\n", "package bindings\n\nvar formerly = []string{\"" + p + "\"}\n"},
		// These are not import paths: a folder, a command, a format, another module.
		"README.md":      {"cmd/" + p + "/bindings, ~/.cache/" + p + "/data, make " + p + ", " + p + "/results/2, github.com/she/" + p + "/data\n", ""},
		"figures/r.txt":  {"\"" + p + "/data\"\n", ""},
		"figures/go.mod": {"module " + p + "/figures\n", "module " + to + "/figures\n"},
		"data/b.bin":     {"\x00 \"" + p + "/data\"\n", ""},
	}
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text[0]), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	n, err := rename(root, p, to)
	if err != nil || n != 6 {
		t.Errorf("%d files, %v", n, err)
	}
	for name, text := range files {
		want := text[1]
		if want == "" {
			want = text[0]
		}
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
		}
	}
	if info, err := os.Stat(filepath.Join(root, "ui/a.go")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
}

// TestRefused checks that invalid import paths are refused, and that a module whose path is different is not
// changed.
func TestRefused(t *testing.T) {
	root := t.TempDir()
	name := filepath.Join(root, "go.mod")
	testfile.Write(t, name, "module other\n")
	for to, want := range map[string]string{"a b": "malformed", "": "malformed", "/x": "malformed", "example.org/x": "go.mod has module other"} {
		if _, err := rename(root, module.Path, to); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", to, err, want)
		}
	}
}
