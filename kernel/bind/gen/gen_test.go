package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/module"
	"overcomplete/internal/patience"
	"overcomplete/kernel/internal/tablegen"
)

// TestBindingsCurrent names each file that differs from what the generator would write with this Go. Since the files
// are from other runs, it also shows that all runs write the same.
func TestBindingsCurrent(t *testing.T) {
	patience.SkipShort(t, "it reads all packages that cells can import")
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	if err := compare(root, nil); err != nil {
		for _, line := range strings.Split(err.Error(), "\n") {
			t.Error(line)
		}
	}
}

// TestNothingMatches makes sure that a mistyped word is reported.
func TestNothingMatches(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	if err := compare(root, []string{"no/such/package"}); err == nil {
		t.Error("no error for a word that matches no package")
	}
}

// TestVersions: what differs between versions of Go is in files that only some versions compile.
func TestVersions(t *testing.T) {
	text := func(s string) []byte { return []byte(tablegen.Generated + "package pkgs\n\n// " + s + "\n") }
	types, aliases, none := "\tTypes: []bind.Object{\n\t\t{Name: \"T\", Value: (*q.T)(nil)},\n\t},\n", "\tAliases: []bind.Object{\n\t\t{Name: \"T\", Value: (*q.T)(nil)},\n\t},\n", ""
	deps := "\tDeps: []bind.Dep{\n\t\t{Path: \"io\", Name: \"io\"},\n\t},\n"
	full := func(lists string) []byte {
		return nameImport([]byte(tablegen.Generated + "package pkgs\n\nimport (\n\tq \"x\"\n)\n\nfunc init() { bind.Register(&pkg_x) }\n\nvar pkg_x = bind.Package{\n\tPath: \"x\",\n\tName: \"x\",\n" + lists + "}\n"))
	}
	a, b := kernelHome.tables+"/", commandHome.tables+"/"
	broken := b + "broken_bind.go"
	old := &snapshot{Files: map[string][]byte{a + "same_bind.go": text("a"), b + "more_bind.go": text("a"), broken: nil,
		a + "x_bind.go": full(types), a + "y_bind.go": full(none), a + "z_bind.go": full(deps)},
		Members: map[string]map[string][]byte{kernelHome.archives: {"x": []byte("1"), "y": []byte("2")}, commandHome.archives: {"x": []byte("5")}}}
	now := &snapshot{Files: map[string][]byte{a + "same_bind.go": text("a"), b + "more_bind.go": text("b"), b + "new_bind.go": text("n"), broken: text("c"),
		a + "x_bind.go": full(aliases), a + "y_bind.go": full(types), a + "z_bind.go": full(deps + types)},
		Members: map[string]map[string][]byte{kernelHome.archives: {"x": []byte("1"), "y": []byte("3"), "z": []byte("4")}, commandHome.archives: {"x": []byte("5")}}}
	r := merged([]*snapshot{old, now})
	if !r.failed[broken] || len(r.files) != 11 || r.files[broken] != nil {
		t.Errorf("failed %v, files %q", r.failed, r.files)
	}
	if len(r.archives) != 3 { // commandHome's are the same with both
		t.Errorf("%d archives", len(r.archives))
	}
	root := t.TempDir()
	for _, h := range homes {
		for _, folder := range []string{h.tables, h.archives} {
			if err := os.MkdirAll(filepath.Join(root, folder), 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range r.files {
		if err := update(root, name, text); err != nil {
			t.Fatal(err)
		}
	}
	for name, members := range r.archives {
		if err := updateArchive(root, name, members); err != nil {
			t.Fatal(err)
		}
	}
	delete(old.Files, broken)
	delete(now.Files, broken)
	for minor, want := range map[int]*snapshot{25: old, 26: old, 27: now, 28: now} {
		files, err := compiled(root, minor)
		if err != nil || !maps.EqualFunc(files, want.Files, bytes.Equal) {
			t.Errorf("go1.%d compiles %q, %v", minor, files, err)
		}
		for _, h := range homes {
			members, err := archiveMembers(filepath.Join(root, h.archives), minor)
			if err != nil || !maps.EqualFunc(members, want.Members[h.archives], bytes.Equal) {
				t.Errorf("go1.%d reads %q in %s, %v", minor, members, h.archives, err)
			}
		}
	}
}

func TestFileName(t *testing.T) {
	for path, want := range map[string]string{
		"gonum.org/v1/gonum/stat/distuv": "kernel/internal/bindings/gonum_stat_distuv_bind.go",
		"github.com/go-gota/gota/series": "kernel/internal/bindings/gota_series_bind.go",
		"os/signal":                      "kernel/internal/bindings/os_signal_bind.go",
		module.Package("ui/display"):     "cmd/overcomplete/bindings/ui_display_bind.go",
	} {
		if got := fileName(path); got != want {
			t.Errorf("fileName(%q) = %q, want %q", path, got, want)
		}
	}
}
