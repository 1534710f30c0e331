package modules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/module"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/bind"
)

// TestRuling: the go.mod or go.work file in effect is the file that go build would use.
func TestRuling(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	for name, text := range map[string]string{
		"a/go.mod":                     "module example.org/a\n",
		"a/deep/er/x.txt":              "",
		"w/go.work":                    "go 1.21\n\nuse ./m\n",
		"w/m/go.mod":                   "module example.org/m\n",
		"project/go.mod":               "module " + module.Path + "\n",
		"project/nb/x.txt":             "",
		"project/notebooks/go.mod":     "module " + module.Package("notebooks") + "\n",
		"project/notebooks/mine/x.txt": "",
		"project/notebooks/own/go.mod": "module example.org/own\n",
		"none/x.txt":                   "",
		"dir/go.mod/x.txt":             "", // go.mod is a folder here
	} {
		testfile.Write(t, at(name), text)
	}
	t.Setenv("OVERCOMPLETE_MODULES", "")
	for _, c := range []struct{ dir, work, want string }{
		{"a", "", "a/go.mod"},
		{"a/deep/er", "", "a/go.mod"},
		{"w/m", "", "w/go.work"},
		{"w/m", "off", "w/m/go.mod"},
		{"a", at("w/go.work"), "w/go.work"},
		{"project/nb", "", ""},
		{"project/notebooks", "", ""},
		{"project/notebooks/mine", "", ""},
		{"project/notebooks/own", "", "project/notebooks/own/go.mod"},
		{"none", "", ""},
		{"dir", "", ""},
	} {
		t.Setenv("GOWORK", c.work)
		e, err := Open(Options{Folder: at(c.dir), Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if c.want != "" {
			want = at(c.want)
		}
		if got := e.Ruling(); got != want {
			t.Errorf("%s with GOWORK=%s: %q, want %q", c.dir, c.work, got, want)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestForeign: Foreign is true only for packages that may come from another module.
func TestForeign(t *testing.T) {
	dir := t.TempDir()
	testfile.Write(t, filepath.Join(dir, "go.mod"), "module mine\n\ngo 1.21\n\nrequire (\n\tother v1.0.0\n\texample.com/x v1.0.0\n)\n\nreplace other => ./other\n")
	e, err := Open(Options{Folder: dir, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"github.com/google/uuid": true, "example.com/x/y": true, "mine": true, "mine/p": true, "other/p": true,
		"fmt": false, "math/rand/v2": false, "slices": false, "unsafe": false, "C": false, "": false, "nonsense": false, "mines/p": false,
		"gonum.org/v1/gonum/mat": false, "gonum.org/v1/gonum/graph": true,
		module.Package("ui/display"): false, module.Package("kernel/internal/apidoc"): false, module.Path: false,
		"./p": false, "../p": false, "/abs.olute/p": false, "a b.c": false, "x.y/z\\w": false, "x.y/z@v1.0.0": false, "https://x.y/z": false,
	} {
		if got := e.Foreign(path); got != want {
			t.Errorf("Foreign(%q) = %t", path, got)
		}
	}
	for _, path := range bind.Packages() {
		if e.Foreign(path) {
			t.Errorf("%s is foreign", path)
		}
	}
}

// TestNoCommand: for a notebook without imports of other modules, no command runs and no files are left.
func TestNoCommand(t *testing.T) {
	t.Setenv("PATH", "")
	cache := filepath.Join(t.TempDir(), "cache")
	e, err := Open(Options{Folder: t.TempDir(), Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	e.Foreign("fmt")
	e.Known([]string{"example.com/x"})
	e.Changed([]string{"example.com/x"})
	if e.work != "" {
		t.Errorf("made %s", e.work)
	}
	if _, err := os.Stat(cache); err == nil {
		t.Error("made a cache")
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestRequirement: equal requirements give equal strings, however they are written.
func TestRequirement(t *testing.T) {
	parse := func(text string) *requirement {
		t.Helper()
		q := newRequirement()
		if err := q.add(text, "go.mod", "/home/x"); err != nil {
			t.Fatal(err)
		}
		return q
	}
	a := parse("module m\n\ngo 1.22\n\nrequire (\n\tb.c/d v1.0.0 // indirect\n\ta.b/c v1.2.0\n)\n\nreplace a.b/c => ../c\n\nexclude b.c/d v0.9.0\n")
	b := parse("module other\n\nrequire a.b/c v1.2.0\nrequire b.c/d v1.0.0\nexclude b.c/d v0.9.0\nreplace a.b/c => ../../home/c\n")
	if a.String() != b.String() {
		t.Errorf("%s\nand\n%s", a, b)
	}
	if want := filepath.FromSlash("/home/c"); a.local["a.b/c"] != want || a.goes != "1.22" {
		t.Errorf("%q, %q", a.local, a.goes)
	}
	if c := parse("module m\n\nrequire a.b/c v1.2.1\n"); c.String() == a.String() {
		t.Error("another version, and the same text")
	}
	if path, ok := a.moduleFor("b.c/d/e"); !ok || path != "b.c/d" {
		t.Error(path, ok)
	}
	if path, ok := a.moduleFor("b.c/de"); ok {
		t.Error(path)
	}
	if err := newRequirement().add("require", "go.mod", ""); err == nil {
		t.Error("no error")
	}
}

func TestParseVendored(t *testing.T) {
	got := parseVendored([]byte(`# a.b/c v1.0.0
## explicit; go 1.21
a.b/c
a.b/c/d
# b.c/d v1.2.0 => ../d
## explicit
b.c/d
# c.d/e v0.1.0 => c.d/f v0.2.0
## go 1.18
c.d/e
# d.e/f v1.0.0
## explicit; go 1.20
# b.c/d => ../d
`))
	want := []vendoredModule{{path: "a.b/c", version: "v1.0.0", goes: "1.21"}, {path: "b.c/d", version: "v1.2.0"}, {path: "c.d/e", version: "v0.1.0", goes: "1.18"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

func FuzzParseVendored(f *testing.F) {
	f.Add([]byte("# a v1\n## explicit; go 1.2\na\n# b\n"))
	f.Add([]byte("#  \n##\n## go \nx"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, v := range parseVendored(text) {
			if strings.ContainsAny(v.path+v.version, " \n") {
				t.Errorf("%+v", v)
			}
		}
	})
}

func FuzzParseAsks(f *testing.F) {
	f.Add("-u a.b/c@v1.0.0")
	f.Add("a.b/c@")
	f.Add(".00")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseGetArgs(strings.Fields(text))
		if err != nil {
			return
		}
		for _, a := range list {
			// The path is passed to the go command as an argument.
			if arg := a.path + "@" + a.version; a.path == "" || arg[0] == '-' || strings.Count(arg, "@") != 1 || strings.HasPrefix(a.path, ".") || strings.HasPrefix(a.path, "/") {
				t.Errorf("%q gives %+v", text, a)
			}
		}
	})
}

func FuzzParseList(f *testing.F) {
	f.Add([]byte(`{"ImportPath":"a"} {"Module":{"Replace":{"Path":"x"}}}`))
	f.Fuzz(func(t *testing.T, out []byte) {
		all, err := parseList(out)
		for _, p := range all {
			if p.Module != nil && err == nil {
				_ = p.Module.module().String()
			}
		}
	})
}

// FuzzClassify: every message of the go command gets a kind and a text.
func FuzzClassify(f *testing.F) {
	f.Add("go: x@v1 requires go >= 1.99")
	f.Add("use of internal package a/b not allowed")
	f.Add("go: d.e/f@v1.0.0: invalid version: unknown revision v1.0.0")
	f.Fuzz(func(t *testing.T, said string) {
		if e := classify("a.b/c", said); e.Kind == "" || e.Text == "" || e.Said != said {
			t.Errorf("%+v", e)
		}
	})
}

// TestClassify classifies messages of the go command that do not occur in other tests.
func TestClassify(t *testing.T) {
	for said, want := range map[string]Kind{
		"go: a.b/c@v1.0.0: Get \"https://proxy.example.org/a.b/c/@v/v1.0.0.info\": dial tcp: lookup proxy.example.org: no such host": NoNetwork,
		"go: a.b/c@v1.0.0: reading https://proxy.example.org/a.b/c/@v/v1.0.0.info: 503 Service Unavailable":                          NoNetwork,
		"go: module a.b/c: Get \"https://proxy/\": net/http: TLS handshake timeout":                                                  NoNetwork,
		"go: a.b/c@latest: module a.b/c: reading https://proxy.example.org/a.b/c/@v/list: 403 Forbidden":                             NoVersion,
		"go: a.b/c@v1.9.9: invalid version: unknown revision v1.9.9":                                                                 NoVersion,
		"go: module a.b/c: reading https://proxy.example.org/a.b/c/@v/list: 404 Not Found":                                           NoVersion,
		"go: module a.b/c: no matching versions for query \"v7\"":                                                                    NoVersion,
		"go: unrecognized import path \"a.b/c\": reading https://a.b/c?go-get=1: 404 Not Found":                                      NoVersion,
		"go: a.b/c@v1.0.0 requires d.e/f@v1.1.0, not d.e/f@v1.0.0":                                                                   Conflict,
		"verifying a.b/c@v1.0.0: checksum mismatch\n\tdownloaded: h1:x\n\tgo.sum: h1:y\n\nSECURITY ERROR":                            Failed,
		"package a.b/c: build constraints exclude all Go files in /x":                                                                NeedsCgo,
		"# runtime/cgo\ncgo: C compiler \"gcc\" not found: exec: \"gcc\": executable file not found in $PATH":                        NeedsCgo,
		"# a.b/c\n/home/x/go/pkg/mod/a.b/c@v1.0.0/c.go:12:3: undefined: syscall.Foo":                                                 NotCompiling,
		"package x\n\timports a.b/c: import cycle not allowed":                                                                       NotCompiling,
		"note: module requires Go 1.30\ngo: a.b/c@v1 requires go >= 1.30 (running go 1.26.8; GOTOOLCHAIN=local)":                     NeedsGo,
		"module a.b/c@latest found (v1.0.0), but does not contain package a.b/c/d":                                                   NoPackage,
		"cannot find module providing package a.b/c/d: import lookup disabled by -mod=vendor":                                        NotRequired,
		"write /home/x/.cache/go-build/ab/cd: no space left on device":                                                               Failed,
		"something that nobody has seen":                                                                                             Failed,
		"":                                                                                                                           Failed,
	} {
		if got := classify("a.b/c", said); got.Kind != want {
			t.Errorf("%q is %+v, want kind %s", said, got, want)
		}
	}
}

// TestOwnModule: a package of the user's own that imports this project is told how its go.mod gets there.
func TestOwnModule(t *testing.T) {
	own := module.Package("kernel-helpers/pca")
	said := "package " + own + " is not in std (/usr/local/go/src/" + own + ")"
	if got := classify(own, said).Advice; !strings.Contains(got, "-replace="+module.Path+"=") || !strings.Contains(got, "go get "+own) {
		t.Error(got)
	}
	if got := classify("a.b/c", "package a.b/c is not in std").Advice; strings.Contains(got, "replace") {
		t.Error(got)
	}
}

func TestTagsFlag(t *testing.T) {
	for flags, want := range map[string]string{
		"": "packed", "-tags=a,b": "packed,a,b", "-modcacherw -tags=a": "packed,a", "'-tags=a b'": "packed,a", "--tags=a -race": "packed,a", "-mytags=a": "packed", "-tags=a -tags=c": "packed,c",
	} {
		c := &toolchainChoice{flags: flags}
		if got := c.tags("packed"); got != want {
			t.Errorf("%q: %q, want %q", flags, got, want)
		}
	}
	if got := (&toolchainChoice{}).tags(""); got != "" {
		t.Errorf("%q", got)
	}
}
