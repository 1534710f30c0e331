package main

import (
	"bytes"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/module"
	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/internal/tablegen"
)

// TestBindingsCurrent names each file that differs from what the generator would write with this Go. Because other runs
// have written the files, the test also shows that all runs write the same.
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

// TestVersions: the parts that differ between versions of Go are in files that only some versions compile.
func TestVersions(t *testing.T) {
	full := func(at, rest string) []byte {
		v := strings.TrimSuffix(path.Base(fileName(at)), suffix)
		return nameImport([]byte(tablegen.Generated + "package pkgs\n\nimport (\n" + tablegen.ImportLine(at, path.Base(at)) + "\n\t\"m/kernel/bind\"\n)\n\nfunc init() { bind.Register(&pkg_" + v + ") }\n\nvar pkg_" + v +
			" = bind.Package{\n\tPath: \"" + at + "\",\n\tName: \"" + path.Base(at) + "\",\n" + rest + "}\n"))
	}
	source := func(s string) string { return "\tSource: `" + s + "\n}\n`,\n" }
	types, aliases := "\tTypes: []bind.Object{\n\t\t{Name: \"T\", Value: (*%s.T)(nil)},\n\t},\n", "\tAliases: []bind.Object{\n\t\t{Name: \"T\", Value: (*%s.T)(nil)},\n\t},\n"
	deps := "\tDeps: []bind.Dep{\n\t\t{Path: \"io\", Name: \"io\"},\n\t},\n"
	of := func(name, rest string) []byte { return full("lib/"+name, strings.ReplaceAll(rest, "%s", name)) }
	more, fresh := module.Package("more"), module.Package("new")
	broken := fileName(module.Package("broken"))
	old := &snapshot{Files: map[string][]byte{fileName("same"): full("same", source("a")), fileName(more): full(more, source("a")), broken: nil,
		fileName("lib/x"): of("x", types), fileName("lib/y"): of("y", ""), fileName("lib/z"): of("z", deps)},
		Members: map[string]map[string][]byte{kernelHome.archives: {"x": []byte("1"), "y": []byte("2")}, commandHome.archives: {"x": []byte("5")}}}
	now := &snapshot{Files: map[string][]byte{fileName("same"): full("same", source("a")), fileName(more): full(more, source("b")), fileName(fresh): full(fresh, source("n")), broken: full("broken", ""),
		fileName("lib/x"): of("x", aliases), fileName("lib/y"): of("y", types), fileName("lib/z"): of("z", deps+types)},
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
	stray := filepath.Join(root, kernelHome.tables, "gone_bind.go")
	testfile.Write(t, stray, "")
	if err := writeSheets(root, r.files); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stray); err == nil {
		t.Error("a file without tables is left")
	}
	written, err := sheets(root)
	want := []string{"kernel/internal/bindings/std_bind.go", "kernel/internal/bindings/std_go126_bind.go", "kernel/internal/bindings/std_go127_bind.go",
		"cmd/overcomplete/bindings/more_go126_bind.go", "cmd/overcomplete/bindings/more_go127_bind.go", "cmd/overcomplete/bindings/new_go127_bind.go"}
	if err != nil || !slices.Equal(written, want) {
		t.Errorf("files %q, %v", written, err)
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
