package modules

import (
	"path/filepath"
	"testing"

	"golang.org/x/mod/module"

	"overcomplete/internal/testfile"
)

func TestOther(t *testing.T) {
	w := newWorld(t)
	before := builtAs
	defer func() { builtAs = before }()
	const mod = "example.com/hello"
	plain := module.Version{Path: mod, Version: "v1.1.0"}
	folder := filepath.Join(w.dir, "hello")
	for _, c := range []struct {
		name, file string
		built      module.Version
		want, have string // "" if the program has the requested version
	}{
		{"no file", "", plain, "", ""},
		{"nothing of it", "module m\n", plain, "", ""},
		{"the same", "module m\nrequire example.com/hello v1.1.0\n", plain, "", ""},
		{"older", "module m\nrequire example.com/hello v1.0.0\n", plain, "", ""},
		{"newer", "module m\nrequire example.com/hello v1.2.0\n", plain, "v1.2.0", "v1.1.0"},
		{"a folder", "module m\nrequire example.com/hello v1.0.0\nreplace example.com/hello => ./hello\n", plain, "=> " + folder, "v1.1.0"},
		{"that folder", "module m\nrequire example.com/hello v1.0.0\nreplace example.com/hello => ./hello\n", module.Version{Path: folder}, "", ""},
		{"a fork", "module m\nrequire example.com/hello v1.0.0\nreplace example.com/hello => example.org/fork v1.0.1\n", plain, "=> example.org/fork@v1.0.1", "v1.1.0"},
		{"that fork", "module m\nrequire example.com/hello v1.0.0\nreplace example.com/hello v1.0.0 => example.org/fork v1.0.1\n", module.Version{Path: "example.org/fork", Version: "v1.0.1"}, "", ""},
		{"not a go.mod", "modul\n", plain, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.file != "" {
				w.files("-- go.mod --\n" + c.file)
			}
			builtAs = func() map[string]module.Version {
				return map[string]module.Version{mod: c.built, "example.com": {Path: "example.com", Version: "v9.9.9"}}
			}
			asked, have := w.open().Other("example.com/hello/sub")
			got := asked.Version
			if asked.Replace != "" {
				got = "=> " + asked.Replace
			}
			if got != c.want || asked.Path != "" && (asked.Path != mod || have != c.have) {
				t.Errorf("%+v, %q", asked, have)
			}
		})
	}
}

// BenchmarkOther measures the time spent for a notebook that imports gonum or a similar module and has a
// go.mod.
func BenchmarkOther(b *testing.B) {
	dir := b.TempDir()
	testfile.Write(b, filepath.Join(dir, "go.mod"), "module m\nrequire example.com/hello v1.0.0\n")
	for b.Loop() {
		e, err := Open(Options{Folder: dir})
		if err != nil {
			b.Fatal(err)
		}
		e.Other("gonum.org/v1/gonum/mat")
	}
}
