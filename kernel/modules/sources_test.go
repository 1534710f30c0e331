package modules

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestSources checks which packages run from source, in which order and in which version.
func TestSources(t *testing.T) {
	w := newWorld(t)
	e := w.open()
	for _, c := range []struct {
		path string
		want []string
	}{
		{"example.com/hello", []string{"example.com/hello v1.1.0"}},
		{"example.com/hello/sub", []string{"example.com/hello v1.1.0", "example.com/hello/internal/secret v1.1.0", "example.com/hello/sub v1.1.0"}},
		{"example.com/deep", []string{"example.com/hello v1.1.0", "example.com/deep v1.0.0"}},
		{"example.com/hello/nested", []string{"example.com/hello/nested v0.3.0"}}, // in another module
		{"example.com/asm/both", []string{"example.com/asm/both v1.0.0"}},
		{"example.com/asm/engine", []string{"example.com/asm/engine v1.0.0"}}, // the build tag appengine needs a package that is gone
		{"example.com/shared", nil}, // bound
		{"example.com/newer", nil},  // see below
		{"example.com/shared/more", []string{"example.com/shared/more v1.0.0"}}, // in the version of the compiled-in module
	} {
		if c.path == "example.com/newer" {
			continue
		}
		got, err := sources(t, e, c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
		}
		equal(t, c.path, got, c.want)
	}
	list, err := e.Sources(context.Background(), isBound, []string{"example.com/embeds"}, nil)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	s := list[0]
	if !s.Embeds || s.Name != "embeds" || s.GoVersion != "go1.21" || s.Module != "example.com/embeds" || len(s.Files) != 1 {
		t.Errorf("%+v", s)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "text.txt")); err != nil {
		t.Error(err)
	}
}

// TestSourcesWithoutC: a package that runs from source without its C code is marked. The packages that import
// it are not.
func TestSourcesWithoutC(t *testing.T) {
	e := newWorld(t).open()
	list, err := e.Sources(context.Background(), isBound, []string{"example.com/optionalc", "example.com/hello"}, nil)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	for _, s := range list {
		if s.WithoutC != (s.Path == "example.com/optionalc") {
			t.Errorf("%s: %v", s.Path, s.WithoutC)
		}
	}
}

// TestRefused: packages that cannot work from source are refused in advance, and the error gives the reason.
func TestRefused(t *testing.T) {
	w := newWorld(t)
	for path, want := range map[string]string{
		"example.com/asm/only":   "written in assembly",
		"example.com/asm/linked": "linked to runtime.nanotime by go:linkname",
	} {
		if runtime.GOARCH != "amd64" && strings.HasSuffix(path, "only") {
			continue
		}
		_, err := sources(t, w.open(), path)
		if e, ok := err.(*Error); !ok || e.Kind != NotFromSource || !strings.Contains(e.Text, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestTomorrow: unpinned imports keep their version when a newer version is published, even in another
// notebook, and need no network.
func TestTomorrow(t *testing.T) {
	w := newWorld(t)
	if got, err := sources(t, w.open(), "example.com/hello"); err != nil || got[0] != "example.com/hello v1.1.0" {
		t.Fatal(got, err)
	}
	w.publish("hello_v1.2.0", proxyModules(t).Archive("hello_v1.0.0"))
	if got, err := sources(t, w.open(), "example.com/hello"); err != nil || got[0] != "example.com/hello v1.1.0" {
		t.Error(got, err)
	}
	t.Setenv("GOPROXY", "off")
	if got, err := sources(t, w.open(), "example.com/hello/sub"); err != nil || len(got) != 3 {
		t.Error(got, err)
	}
}
