package modules

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/module"
	"overcomplete/internal/testfile"
)

// TestKernel compiles the real kernel with a package of the user; the other tests use a small kernel.
// TestKernel takes some seconds of processor time with a warm compiler cache, and a minute and a half without
// it.
func TestKernel(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the kernel")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	t.Setenv("OVERCOMPLETE_MODULES", "")
	t.Setenv("GOWORK", "")
	dir := t.TempDir()
	testfile.Write(t, filepath.Join(dir, "go.mod"), "module mine\n\ngo 1.21\n")
	testfile.Write(t, filepath.Join(dir, "p", "p.go"), "// Package p is mine.\npackage p\n\n// F returns 1.\nfunc F() int { return 1 }\n\n// G is generic.\nfunc G[T any]() {}\n")
	opt := Options{Folder: dir, Cache: filepath.Join(t.TempDir(), "cache")}
	e, err := Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	p, err := e.Compile(context.Background(), []string{"mine/p"}, func(s string) { t.Log(s) })
	if err != nil {
		t.Fatalf("%v\n%s", err, said(err))
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(p.Path, "version")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "overcomplete ") {
		t.Errorf("%s, %v", out, err)
	}
	for _, want := range []string{module.Package("kernel/internal/ixengine"), "mine/p"} {
		if !contains(p.manifest.Linked, []string{want}) {
			t.Errorf("%s is not linked in", want)
		}
	}
	// The program also contains its own source.
	text := testfile.Read(t, p.Path)
	if key, err := kernelSource.Key(); err != nil || !strings.Contains(string(text), key) {
		t.Errorf("the source with key %s, %v, is not in the program", key, err)
	}
	f, err := Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if q := f.Known([]string{"mine/p"}); q == nil || q.Path != p.Path {
		t.Errorf("%+v", q)
	}
}

// BenchmarkKnown measures the time that a notebook spends on finding its program in the cache. The time to
// start the program is not included.
func BenchmarkKnown(b *testing.B) {
	w := newWorld(b)
	e, err := Open(Options{Folder: w.dir, Cache: w.cache})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := e.Compile(context.Background(), []string{"example.com/hello"}, nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		e, err := Open(Options{Folder: w.dir, Cache: w.cache})
		if err != nil {
			b.Fatal(err)
		}
		p := e.Known([]string{"example.com/hello"})
		if p == nil {
			b.Fatal("not known")
		}
		if err := p.Check(); err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}
