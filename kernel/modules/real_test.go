//go:build realmodules

package modules

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "overcomplete/cmd/overcomplete/bindings"
	"overcomplete/kernel/bind"
	_ "overcomplete/kernel/internal/bindings"
)

// realCache returns a cache folder. If OVERCOMPLETE_TEST_CACHE names a folder, that folder is used and kept
// between runs.
func realCache(t *testing.T) string {
	if dir := os.Getenv("OVERCOMPLETE_TEST_CACHE"); dir != "" {
		return dir
	}
	return t.TempDir()
}

// TestReal imports real modules, compiled and from source. OVERCOMPLETE_TEST_MODULES names other packages to
// import.
func TestReal(t *testing.T) {
	paths := strings.Fields(os.Getenv("OVERCOMPLETE_TEST_MODULES"))
	if len(paths) == 0 {
		paths = []string{"github.com/google/uuid"}
	}
	e, err := Open(Options{Folder: t.TempDir(), Cache: realCache(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx := context.Background()
	say := func(s string) { t.Log(s) }
	clock := time.Now()
	lap := func(what string) { t.Logf("%s: %.3f s", what, time.Since(clock).Seconds()); clock = time.Now() }
	if args := strings.Fields(os.Getenv("OVERCOMPLETE_TEST_GET")); len(args) > 0 {
		pins, err := e.Get(ctx, args, say)
		t.Log(pins, err)
		lap("get")
	}
	for _, path := range paths {
		if !e.Foreign(path) {
			t.Errorf("%s is not foreign", path)
		}
	}
	list, err := e.Sources(ctx, func(p string) bool { return bind.Name(p) != "" }, paths, say)
	lap("sources")
	t.Log(len(list), err)
	p := e.Known(paths)
	lap("known")
	if p == nil {
		if p, err = e.Compile(ctx, paths, say); err != nil {
			t.Fatalf("%v\n%#v", err, err)
		}
		lap("compile")
	}
	for range 2 {
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		lap("check")
	}
	out, err := exec.Command(p.Path, "version").CombinedOutput()
	t.Logf("%s %v", out, err)
	if q := e.Known(paths); q == nil || q.Path != p.Path || filepath.Base(p.Path) != executable() {
		t.Error("not known")
	}
	lap("known")
	mods, err := e.Modules(ctx, paths)
	t.Log(mods, err)
}
