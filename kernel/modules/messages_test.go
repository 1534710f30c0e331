package modules

import (
	"context"
	"errors"
	"flag"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/internal/selfsource"
	"overcomplete/kernel/toolchain"
)

var update = flag.Bool("update", false, "write testdata/messages.txtar")

// TestMessages compares the messages for the user, produced with the real go command, with those in
// testdata/messages.txtar: one for each kind of error, and several for a kind with several causes.
func TestMessages(t *testing.T) {
	patience.SkipShort(t, "it builds programs")
	ctx := context.Background()
	source := func(e *Env, path string) error { _, err := sources(t, e, path); return err }
	compile := func(e *Env, path string) error { _, err := e.Compile(ctx, []string{path}, nil); return err }
	get := func(e *Env, args ...string) error { _, err := e.Get(ctx, args, nil); return err }
	const ruled = "-- go.mod --\nmodule example.org/mine\n\ngo 1.21\n\nrequire example.com/hello v1.0.0\n"

	name := filepath.Join("testdata", "messages.txtar")
	messages, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		kind Kind
		try  func(t *testing.T, w *world) error
	}{
		{"off", Off, func(t *testing.T, w *world) error {
			t.Setenv("OVERCOMPLETE_MODULES", "off")
			return source(w.open(), "example.com/hello")
		}},
		{"no-go", NoToolchain, func(t *testing.T, w *world) error {
			t.Setenv("PATH", "")
			return source(w.open(), "example.com/hello")
		}},
		{"no-source", NoSource, func(t *testing.T, w *world) error {
			kernelSource = noneSource{}
			return compile(w.open(), "example.com/hello")
		}},
		{"proxy-off", NoNetwork, func(t *testing.T, w *world) error {
			t.Setenv("GOPROXY", "off")
			return source(w.open(), "example.com/hello")
		}},
		{"proxy-gone", NoNetwork, func(t *testing.T, w *world) error {
			t.Setenv("GOPROXY", "http://"+closedPort(t))
			return source(w.open(), "example.com/hello")
		}},
		{"no-module", NoVersion, func(t *testing.T, w *world) error { return source(w.open(), "example.com/nobody/here") }},
		{"no-version", NoVersion, func(t *testing.T, w *world) error { return get(w.open(), "example.com/hello@v7.0.0") }},
		{"no-v", NoVersion, func(t *testing.T, w *world) error { return get(w.open(), "example.com/hello@1.1.0") }},
		{"no-version-beside-go-mod", NoVersion, func(t *testing.T, w *world) error {
			w.files(ruled)
			w.sum(w.dir)
			return get(w.open(), "example.com/embeds@v1.0.0", "example.com/hello@v7.0.0")
		}},
		{"proxy-off-no-v", NoNetwork, func(t *testing.T, w *world) error {
			t.Setenv("GOPROXY", "off")
			return get(w.open(), "example.com/hello@1.0.0")
		}},
		{"proxy-off-version", NoNetwork, func(t *testing.T, w *world) error {
			e := w.open()
			if err := get(e, "example.com/hello@v1.1.0"); err != nil {
				return err
			}
			t.Setenv("GOPROXY", "off")
			return get(e, "example.com/hello@v1.0.0")
		}},
		{"no-package", NoPackage, func(t *testing.T, w *world) error { return source(w.open(), "example.com/hello/nope") }},
		{"no-package-in-version", NoPackage, func(t *testing.T, w *world) error {
			e := w.open()
			if err := get(e, "example.com/hello@v1.0.0"); err != nil {
				return err
			}
			return source(e, "example.com/hello/nope")
		}},
		{"no-files", NoPackage, func(t *testing.T, w *world) error { return source(w.open(), "example.com/hello/docs") }},
		{"program", NoPackage, func(t *testing.T, w *world) error { return source(w.open(), "example.com/hello/prog") }},
		{"not-required", NotRequired, func(t *testing.T, w *world) error {
			w.files(ruled)
			w.sum(w.dir)
			return source(w.open(), "example.com/embeds")
		}},
		{"no-sum", NotRequired, func(t *testing.T, w *world) error {
			w.files(ruled)
			return source(w.open(), "example.com/hello")
		}},
		{"conflict-source", Conflict, func(t *testing.T, w *world) error { return source(w.open(), "example.com/newer") }},
		{"conflict-part", Conflict, func(t *testing.T, w *world) error {
			e := w.open()
			if err := get(e, "example.com/shared@v1.1.0"); err != nil {
				return err
			}
			return source(e, "example.com/shared/more")
		}},
		{"conflict-older", Conflict, func(t *testing.T, w *world) error {
			w.publishOld()
			return get(w.open(), "example.com/shared@v0.9.0")
		}},
		{"internal", InternalPath, func(t *testing.T, w *world) error {
			return source(w.open(), "example.com/hello/internal/secret")
		}},
		{"needs-go", NeedsGo, func(t *testing.T, w *world) error { return source(w.open(), "example.com/future") }},
		{"type-error", NotCompiling, func(t *testing.T, w *world) error { return compile(w.open(), "example.com/broken") }},
		{"syntax-error", NotCompiling, func(t *testing.T, w *world) error {
			return source(w.open(), "example.com/broken/syntax")
		}},
		{"own-error", NotCompiling, func(t *testing.T, w *world) error {
			w.files("-- go.mod --\nmodule mine\n\ngo 1.21\n-- p/p.go --\npackage p\n\nfunc F() int { return \"\" }\n")
			return compile(w.open(), "mine/p")
		}},
		{"own-syntax-error", NotCompiling, func(t *testing.T, w *world) error {
			w.files("-- go.mod --\nmodule mine\n\ngo 1.21\n-- p/p.go --\npackage p\n\nfunc F( {}\n")
			return source(w.open(), "mine/p")
		}},
		{"cgo", NeedsCgo, func(t *testing.T, w *world) error { return compile(w.open(), "example.com/needscgo") }},
		{"not-from-source", NotFromSource, func(t *testing.T, w *world) error {
			return source(w.open(), "example.com/asm/linked")
		}},
		{"locked-import", Locked, func(t *testing.T, w *world) error {
			e := w.open(func(o *Options) { o.Lock, o.Locked = &Lock{Mod: emptyMod()}, true })
			return source(e, "example.com/hello")
		}},
		{"locked-version", Locked, func(t *testing.T, w *world) error {
			e := w.open(func(o *Options) {
				o.Lock, o.Locked = &Lock{Mod: emptyMod() + "\nrequire example.com/hello v1.0.0\n"}, true
			})
			return get(e, "example.com/hello@v1.1.0")
		}},
		{"proxy-refuses", NoVersion, func(t *testing.T, w *world) error {
			answering(t, http.StatusForbidden)
			return source(w.open(), "example.com/hello")
		}},
		{"proxy-refuses-version", NoVersion, func(t *testing.T, w *world) error {
			answering(t, http.StatusForbidden)
			return get(w.open(), "example.com/hello@v9.9.9")
		}},
		{"proxy-refuses-no-v", NoVersion, func(t *testing.T, w *world) error {
			answering(t, http.StatusForbidden)
			return get(w.open(), "example.com/hello@1.4.0")
		}},
		{"proxy-lacks-version", NoVersion, func(t *testing.T, w *world) error {
			answering(t, http.StatusNotFound)
			return get(w.open(), "example.com/hello@v9.9.9")
		}},
		{"locked-changed", Locked, func(t *testing.T, w *world) error {
			w.files(ruled)
			e := w.open(func(o *Options) {
				o.Lock, o.Locked = &Lock{Mod: strings.ReplaceAll(strings.TrimPrefix(ruled, "-- go.mod --\n"), "v1.0.0", "v1.1.0")}, true
			})
			return source(e, "example.com/hello")
		}},
		{"bad-sum", Failed, func(t *testing.T, w *world) error {
			w.files(ruled + "-- go.sum --\nexample.com/hello v1.0.0 h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nexample.com/hello v1.0.0/go.mod h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n")
			return source(w.open(), "example.com/hello")
		}},
		{"bad-mod", Failed, func(t *testing.T, w *world) error {
			w.files("-- go.mod --\nmodul example.org/mine\n")
			return source(w.open(), "example.com/hello")
		}},
		{"bad-vendor", Failed, func(t *testing.T, w *world) error {
			w.files(ruled + "-- vendor/modules.txt --\n# example.com/hello v1.1.0\n## explicit; go 1.21\nexample.com/hello\n-- vendor/example.com/hello/hello.go --\npackage hello\n")
			return source(w.open(), "example.com/hello")
		}},
		{"cache-open", Failed, func(t *testing.T, w *world) error {
			if runtime.GOOS == "windows" {
				t.Skip("permissions are inherited there")
			}
			if err := os.MkdirAll(w.cache, 0o777); err != nil {
				return err
			}
			if err := os.Chmod(w.cache, 0o777); err != nil {
				return err
			}
			return compile(w.open(), "example.com/hello")
		}},
		{"get-flag", "", func(t *testing.T, w *world) error { return get(w.open(), "-t", "example.com/hello") }},
		{"get-nothing", "", func(t *testing.T, w *world) error { return get(w.open()) }},
		{"get-version", "", func(t *testing.T, w *world) error { return get(w.open(), "example.com/hello@") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			err := c.try(t, w)
			if err == nil {
				t.Fatal("no error")
			}
			var e *Error
			if errors.As(err, &e) != (c.kind != "") || e != nil && e.Kind != c.kind {
				t.Errorf("%#v, want kind %q", err, c.kind)
			}
			got := strings.NewReplacer(
				w.dir, "FOLDER", w.cache, "CACHE", toolchain.Tried()[0], "GOVERSION", preferred(), "GOVERSION", "\\", "/",
			).Replace(err.Error()) + "\n"
			i := slices.IndexFunc(messages.Files, func(f txtar.File) bool { return f.Name == c.name })
			switch {
			case i < 0 && *update:
				messages.Files = append(messages.Files, txtar.File{Name: c.name, Data: []byte(got)})
			case i < 0:
				t.Errorf("there is no message %s (go test ./kernel/modules -run TestMessages -update)", c.name)
			case *update:
				messages.Files[i].Data = []byte(got)
			case got != string(messages.Files[i].Data):
				t.Errorf("%s\nwant\n%s\n(go test ./kernel/modules -run TestMessages -update)", got, messages.Files[i].Data)
			}
		})
	}
	if *update {
		testfile.Write(t, name, txtar.Format(messages))
	}
}

// noneSource is the kernelSource of a program that was built without its source.
type noneSource struct{}

func (noneSource) Key() (string, error)   { return "", selfsource.ErrNone }
func (noneSource) Extract(string) error   { return selfsource.ErrNone }
func (noneSource) GoMod() ([]byte, error) { return nil, selfsource.ErrNone }

// answering starts a proxy that answers every request with the given status.
func answering(t *testing.T, status int) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", status) }))
	t.Cleanup(s.Close)
	t.Setenv("GOPROXY", s.URL)
}

// closedPort returns an address on which no program listens.
func closedPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
