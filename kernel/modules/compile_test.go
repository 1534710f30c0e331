package modules

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	xmodule "golang.org/x/mod/module"

	"overcomplete/internal/module"
	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
)

// TestCompile: after a program with packages has been compiled, it is found without a command or network, even
// for another notebook.
func TestCompile(t *testing.T) {
	w := newWorld(t)
	e := w.open()
	if p := e.Known([]string{"example.com/hello"}); p != nil {
		t.Fatal("known before it was made")
	}
	var told []string
	p, err := e.Compile(context.Background(), []string{"example.com/hello/sub", "example.com/hello"}, func(s string) { told = append(told, s) })
	if err != nil {
		t.Fatalf("%v\n%s", err, said(err))
	}
	if p.Known {
		t.Error("known though it was made")
	}
	equal(t, "packages", p.Packages, []string{"example.com/hello", "example.com/hello/sub"})
	if !slices.Contains(told, "resolving example.com/hello") || !slices.Contains(told, "compiling example.com/hello v1.1.0") {
		t.Errorf("told %q", told)
	}
	for _, want := range []string{
		"example.com/hello 2 [Hidden] import \"example.com/hello\"\n\nfunc Twice[T any](x T) [2]T { return [2]T{x, x} }\n\n" +
			"func Marked[T any](x T) string {\n\t(*hello.Overcomplete_count)++\n\treturn string(hello.Overcomplete_text(hello.Overcomplete_mark) + hello.Overcomplete_end((*hello.Overcomplete_count)))\n}\n", "example.com/hello/sub 1 []\n", "1 archives",
		`{"Packages":["example.com/hello","example.com/hello/sub"],"Modules":[{"Path":"example.com/hello","Version":"v1.1.0",`,
	} {
		if out := start(t, p); !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(p.Path))
	if err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("PATH", "")
	for _, packages := range [][]string{{"example.com/hello", "example.com/hello/sub"}, {"example.com/hello"}} {
		q := w.open().Known(packages)
		if q == nil || q.Path != p.Path || !q.Known {
			t.Errorf("%q: %+v", packages, q)
		}
	}
	if q := w.open().Known([]string{"example.com/hello", "example.com/deep"}); q != nil {
		t.Errorf("%+v has a package that was never asked for", q)
	}
}

// TestRaised: if another package needs a newer version of a compiled-in package, the program has that version
// and a new table.
func TestRaised(t *testing.T) {
	w := newWorld(t)
	p, out := compiled(t, w.open(), "example.com/newer")
	if !strings.Contains(out, "example.com/shared 2 []") {
		t.Errorf("the table of shared is the old one:\n%s", out)
	}
	i := slices.IndexFunc(p.manifest.Modules, func(m Module) bool { return m.Path == "example.com/shared" })
	if i < 0 || p.manifest.Modules[i].Version != "v1.1.0" {
		t.Errorf("%+v", p.manifest.Modules)
	}
}

// TestRaisedBeside: if the go.mod in effect requires a newer version of a package, the program has that version, even
// if no wanted package needs it.
func TestRaisedBeside(t *testing.T) {
	w := newWorld(t)
	w.files("-- go.mod --\nmodule mine\n\ngo 1.21\n\nrequire example.com/shared v1.1.0\n-- p/p.go --\npackage p\n\nfunc F() {}\n")
	w.sum(w.dir)
	p, out := compiled(t, w.open(), "mine/p")
	if !strings.Contains(out, "example.com/shared 2 []") {
		t.Errorf("the table of shared is the old one:\n%s", out)
	}
	if m := p.manifest.Modules[len(p.manifest.Modules)-1]; m.String() != "example.com/shared v1.1.0" || m.Asked != "v1.0.0" {
		t.Errorf("%+v", p.manifest.Modules)
	}
}

// TestAsked: if another module raises a version, the raised version is reported together with the requested
// one.
func TestAsked(t *testing.T) {
	w := newWorld(t)
	e := w.open()
	ctx := context.Background()
	pins, err := e.Get(ctx, []string{"example.com/hello@v1.0.0", "example.com/deep"}, nil)
	if err != nil || len(pins) != 2 || pins[0].String() != "example.com/hello v1.0.0" || pins[1].String() != "example.com/deep v1.0.0" {
		t.Fatal(pins, err)
	}
	mods, err := e.Modules(ctx, []string{"example.com/hello", "example.com/deep"})
	if err != nil || len(mods) != 2 || mods[1].Path != "example.com/hello" || mods[1].Version != "v1.1.0" || mods[1].Asked != "v1.0.0" {
		t.Errorf("%+v, %v", mods, err)
	}
	p, _ := compiled(t, e, "example.com/hello", "example.com/deep")
	if m := p.manifest.Modules[1]; m.Version != "v1.1.0" || m.Asked != "v1.0.0" {
		t.Errorf("%+v", m)
	}
}

// TestWithoutC: a package that compiles without its C code is listed, other packages are not.
func TestWithoutC(t *testing.T) {
	e := newWorld(t).open()
	if _, err := e.Get(context.Background(), []string{"example.com/optionalc@v1.0.0", "example.com/hello@v1.0.0"}, nil); err != nil {
		t.Fatal(err, said(err))
	}
	p, _ := compiled(t, e, "example.com/optionalc", "example.com/hello")
	equal(t, "without C", p.WithoutC, []string{"example.com/optionalc"})
}

// TestLocal: packages of the user's own modules are compiled in, identified by their content. They include
// internal packages and packages of replaced modules.
func TestLocal(t *testing.T) {
	patience.SkipShort(t, "it builds programs")
	w := newWorld(t)
	w.files(`
-- go.mod --
module mine

go 1.21

require (
	example.com/beside v0.0.0
	example.com/hello v1.0.0
)

replace example.com/beside => ./beside
-- tools/tools.go --
package tools

import (
	_ "embed"
	"mine/internal/deep"
	"example.com/hello"
)

//go:embed data/text.txt
var Text string

func Tool() string { return Text + hello.Hello() + deep.Deep() }
-- tools/data/text.txt --
text
-- internal/deep/deep.go --
package deep

func Deep() string { return "deep" }
-- beside/go.mod --
module example.com/beside

go 1.21
-- beside/beside.go --
package beside

func Beside() int { return 1 }
`)
	w.sum(w.dir)
	before := snapshot(t, w.dir)
	e := w.open()
	for path, want := range map[string]bool{"mine/tools": true, "mine/internal/deep": true, "example.com/beside": true, "fmt": false, "nothing": false, "minefield": false} {
		if got := e.Foreign(path); got != want {
			t.Errorf("Foreign(%q) = %t", path, got)
		}
	}
	paths := []string{"mine/tools", "example.com/beside", "mine/internal/deep"}
	got, err := sources(t, e, paths...)
	if err != nil {
		t.Fatal(err, said(err))
	}
	slices.Sort(got)
	equal(t, "sources", got, []string{"example.com/beside ", "example.com/hello v1.0.0", "mine/internal/deep ", "mine/tools "})
	one, out := compiled(t, e, paths...)
	for _, p := range paths {
		if !strings.Contains(out, p+" 1 []") {
			t.Errorf("no %s in\n%s", p, out)
		}
	}
	if c := e.Changed(paths); c != nil {
		t.Errorf("changed: %q", c)
	}
	w.files("-- tools/data/more.txt --\nA new file in a folder of which one is embedded.\n")
	equal(t, "changed", e.Changed(paths), []string{"mine/tools"})
	w.files("-- beside/beside.go --\npackage beside\n\nfunc Beside() int { return 2 }\n\nfunc More() {}\n")
	equal(t, "changed", e.Changed(paths), []string{"mine/tools", "example.com/beside"})
	if p := e.Known(paths); p != nil {
		t.Error("known though the source has changed")
	}
	two, out := compiled(t, e, paths...)
	if two.Path == one.Path || !strings.Contains(out, "example.com/beside 2 []") {
		t.Errorf("%s\n%s", two.Path, out)
	}
	// Compiling a program for the next start does not affect this session, which runs the packages from source.
	equal(t, "changed", e.Changed(paths), []string{"mine/tools", "example.com/beside"})
	for _, p := range []*Program{one, two} {
		before := compiledIn
		compiledIn.Local = p.manifest.Local
		if got := w.open().Changed(paths); (p == one) != (got != nil) {
			t.Errorf("changed in a program that has them compiled in: %q", got)
		}
		compiledIn = before
		if slices.ContainsFunc(p.manifest.Local, func(l localPackage) bool { return isOwn(l.Path) || strings.HasPrefix(l.Path, "overcomplete/") }) {
			t.Errorf("packages of the kernel count as the user's: %v", p.manifest.Local)
		}
	}
	if _, err := sources(t, e, paths...); err != nil {
		t.Fatal(err, said(err))
	}
	if c := e.Changed(paths); c != nil {
		t.Errorf("changed: %q", c)
	}
	w.files("-- tools/data/more.txt --\n-- beside/beside.go --\npackage beside\n\nfunc Beside() int { return 1 }\n")
	if err := os.Remove(filepath.Join(w.dir, "tools/data/more.txt")); err != nil {
		t.Fatal(err)
	}
	if p := e.Known(paths); p == nil || p.Path != one.Path {
		t.Errorf("%+v: the old source is there again", p)
	}
	if after := snapshot(t, w.dir); after != before {
		t.Errorf("the user's folder was\n%s\nand is\n%s", before, after)
	}
}

// TestOutside lists packages of other modules that the user's own packages import, directly and indirectly.
func TestOutside(t *testing.T) {
	w := newWorld(t)
	w.files(`
-- go.mod --
module mine

go 1.21

require (
	example.com/beside v0.0.0
	example.com/deep v1.0.0
	example.com/hello v1.0.0
)

replace example.com/beside => ./beside
-- tools/tools.go --
package tools

import (
	"fmt"
	"example.com/hello"
	"example.com/beside"
)

func Tool() string { return fmt.Sprint(hello.Hello(), beside.Beside()) }
-- plain/plain.go --
package plain
-- beside/go.mod --
module example.com/beside

go 1.21

require example.com/deep v1.0.0
-- beside/beside.go --
package beside

import "example.com/deep"

func Beside() string { return deep.Deep() }
`)
	w.sum(w.dir)
	e := w.open()
	for path, want := range map[string][]string{"mine/tools": {"example.com/deep v1.0.0", "example.com/hello v1.1.0"}, "mine/plain": nil} {
		list, err := e.Outside(context.Background(), []string{path}, nil)
		if err != nil {
			t.Fatal(err, said(err))
		}
		var got []string
		for _, s := range list {
			got = append(got, s.Path+" "+s.Version)
		}
		slices.Sort(got)
		equal(t, path, got, want)
	}
}

// snapshot returns names and contents of all files in a folder.
func snapshot(t *testing.T, dir string) string {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		b.WriteString("-- " + rel + " --\n" + string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWorkspace: a go.work file with its own replacements is in effect, and %get adds pins.
func TestWorkspace(t *testing.T) {
	patience.SkipShort(t, "it builds programs")
	w := newWorld(t)
	w.files(`
-- go.work --
go 1.21

use (
	./one
	./two
)

replace example.com/broken => ./fixed
-- one/go.mod --
module example.org/one

go 1.21

require (
	example.com/hello v1.0.0
	example.com/broken v1.0.0
)
-- one/one.go --
package one

import (
	"example.com/broken"
	"example.com/hello"
	"example.org/two"
)

func One() string { return hello.Hello() + two.Two() + broken.Fixed() }
-- two/go.mod --
module example.org/two

go 1.21
-- two/two.go --
package two

func Two() string { return "two" }
-- fixed/go.mod --
module example.com/broken

go 1.21
-- fixed/fixed.go --
package broken

func Fixed() string { return "fixed" }
`)
	before := snapshot(t, w.dir)
	e := w.open(func(o *Options) { o.Folder = filepath.Join(w.dir, "one") })
	if e.Ruling() != filepath.Join(w.dir, "go.work") {
		t.Error(e.Ruling())
	}
	got, err := sources(t, e, "example.org/one")
	if err != nil {
		t.Fatal(err, said(err))
	}
	slices.Sort(got)
	equal(t, "sources", got, []string{"example.com/broken ", "example.com/hello v1.0.0", "example.org/one ", "example.org/two "})
	if _, out := compiled(t, e, "example.org/one", "example.org/two"); !strings.Contains(out, "example.org/one 1 []") {
		t.Error(out)
	}
	if _, err := sources(t, e, "example.com/deep"); err == nil || err.(*Error).Kind != NotRequired {
		t.Error(err)
	}
	if _, err := e.Get(context.Background(), []string{"example.com/deep@v1.0.0"}, nil); err != nil {
		t.Fatal(err)
	}
	got, err = sources(t, e, "example.com/deep")
	equal(t, "sources", got, []string{"example.com/hello v1.1.0", "example.com/deep v1.0.0"})
	if err != nil {
		t.Error(err)
	}
	if _, out := compiled(t, e, "example.com/deep"); !strings.Contains(out, "example.com/deep 1 []") {
		t.Error(out)
	}
	if after := snapshot(t, w.dir); after != before {
		t.Errorf("the user's folder is\n%s", after)
	}
}

// TestVendor: the vendor folder is used, as in go build.
func TestVendor(t *testing.T) {
	w := newWorld(t)
	w.files(`
-- go.mod --
module example.org/mine

go 1.21

require example.com/hello v1.0.0
-- vendor/modules.txt --
# example.com/hello v1.0.0
## explicit; go 1.21
example.com/hello
-- vendor/example.com/hello/hello.go --
package hello

import "os"

func Hello() string { return "vendored" }

func Vendored() { os.Exit(3) }
-- mine.go --
package mine

import "example.com/hello"

func Mine() string { return hello.Hello() }
`)
	t.Setenv("GOPROXY", "off")
	before := snapshot(t, w.dir)
	e := w.open()
	list, err := e.Sources(context.Background(), isBound, []string{"example.org/mine"}, nil)
	if err != nil || len(list) != 2 || !strings.HasPrefix(list[0].Dir, filepath.Join(w.dir, "vendor")) {
		t.Fatalf("%+v, %v", list, err)
	}
	t.Setenv("GOPROXY", "file://"+w.proxy) // for the kernel's own modules
	p, out := compiled(t, e, "example.org/mine", "example.com/hello")
	if !strings.Contains(out, "example.com/hello 2 []") {
		t.Errorf("hello is not the vendored one:\n%s", out)
	}
	if out, err := exec.Command(p.Path, "Vendored").Output(); !strings.HasSuffix(string(out), "cell.Exit 3\n") {
		t.Errorf("os.Exit in the vendor folder: %s, %v", out, err)
	}
	if after := snapshot(t, w.dir); after != before {
		t.Errorf("the user's folder is\n%s", after)
	}
}

// TestTags: the user's build tags are used, and other tags require another program.
func TestTags(t *testing.T) {
	w := newWorld(t)
	t.Setenv("GOFLAGS", "-modcacherw -tags=special")
	p, _ := compiled(t, w.open(), "example.com/tagged")
	t.Setenv("GOFLAGS", "-modcacherw")
	if q := w.open().Known([]string{"example.com/tagged"}); q != nil {
		t.Errorf("%+v", q)
	}
	t.Setenv("GOFLAGS", "-modcacherw -tags=special")
	if q := w.open().Known([]string{"example.com/tagged"}); q == nil || q.Path != p.Path {
		t.Errorf("%+v", q)
	}
}

// TestState: another program continues with the Env of this one.
func TestState(t *testing.T) {
	w := newWorld(t)
	e := w.open()
	if _, err := e.Get(context.Background(), []string{"example.com/hello@v1.0.0"}, nil); err != nil {
		t.Fatal(err)
	}
	e.SetCgo(true)
	text, err := e.State()
	if err != nil {
		t.Fatal(err)
	}
	f, err := Resume(text)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := sources(t, f, "example.com/hello")
	if err != nil || !f.cgo || f.opt != e.opt {
		t.Error(err, f.cgo, f.opt)
	}
	equal(t, "sources", got, []string{"example.com/hello v1.0.0"})
	if _, err := Resume([]byte("{")); err == nil {
		t.Error("no error for half a state")
	}
}

// TestCommand: native cells use the same versions as other cells.
func TestCommand(t *testing.T) {
	w := newWorld(t)
	e := w.open()
	if _, err := e.Get(context.Background(), []string{"example.com/hello@v1.0.0"}, nil); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	testfile.Write(t, filepath.Join(dir, "main.go"), "package main\n\nimport \"example.com/hello\"\n\nfunc main() { println(hello.Hello()) }\n")
	cmd, err := e.Command(context.Background(), dir, "run", ".")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "hello 1.0\n" {
		t.Errorf("%s, %v", out, err)
	}
}

// TestTidy: Tidy removes pins that no package needs.
func TestTidy(t *testing.T) {
	w := newWorld(t)
	e := w.open()
	ctx := context.Background()
	if _, err := e.Get(ctx, []string{"example.com/hello@v1.0.0", "example.com/embeds"}, nil); err != nil {
		t.Fatal(err)
	}
	removed, err := e.Tidy(ctx, []string{"example.com/hello"})
	if err != nil || len(removed) != 1 || removed[0].String() != "example.com/embeds v1.0.0" {
		t.Error(removed, err)
	}
	l, err := e.Lock(ctx)
	if err != nil || strings.Contains(l.Mod, "embeds") || !strings.Contains(l.Mod, "example.com/hello v1.0.0") {
		t.Errorf("%v, %v", l, err)
	}
}

// TestLock: a notebook that records its versions gets the same versions on another machine. With Locked the
// versions cannot change.
func TestLock(t *testing.T) {
	w := newWorld(t)
	e := w.open()
	ctx := context.Background()
	if _, err := e.Get(ctx, []string{"example.com/hello@v1.0.0"}, nil); err != nil {
		t.Fatal(err)
	}
	l, err := e.Lock(ctx)
	if err != nil || !strings.Contains(l.Sum, "example.com/hello v1.0.0 h1:") {
		t.Fatalf("%+v, %v", l, err)
	}
	f := w.open(func(o *Options) { o.Lock, o.Locked, o.Cache = l, true, t.TempDir() })
	got, err := sources(t, f, "example.com/hello/sub")
	if err != nil || len(got) != 3 || got[0] != "example.com/hello v1.0.0" {
		t.Error(got, err)
	}
	if again, err := f.Lock(ctx); err != nil || *again != *l {
		t.Errorf("%+v, %v", again, err)
	}
	for what, try := range map[string]func() error{
		"import": func() error { _, err := sources(t, f, "example.com/embeds"); return err },
		"get":    func() error { _, err := f.Get(ctx, []string{"example.com/hello@v1.1.0"}, nil); return err },
		"tidy":   func() error { _, err := f.Compile(ctx, []string{"example.com/deep"}, nil); return err },
	} {
		if err, ok := try().(*Error); !ok || err.Kind != Locked {
			t.Errorf("%s: %v", what, err)
		}
	}
	if pins, err := f.Get(ctx, []string{"example.com/hello@v1.0.0"}, nil); err != nil || len(pins) != 1 {
		t.Error(pins, err)
	}
}

// TestPinsOnRuling: pins apply to a copy of the go.mod in effect, and still apply after that file changes.
func TestPinsOnRuling(t *testing.T) {
	w := newWorld(t)
	const mod = "-- go.mod --\nmodule example.org/mine\n\ngo 1.21\n\nrequire example.com/hello v1.0.0\n"
	w.files(mod)
	w.sum(w.dir)
	ctx := context.Background()
	e := w.open()
	if _, err := e.Get(ctx, []string{"example.com/embeds@v1.0.0"}, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := sources(t, e, "example.com/embeds", "example.com/hello"); err != nil {
		t.Error(got, err, said(err))
	}
	if text, _ := os.ReadFile(filepath.Join(w.dir, "go.mod")); "-- go.mod --\n"+string(text) != mod {
		t.Errorf("go.mod is %s", text)
	}
	w.files(strings.ReplaceAll(mod, "hello v1.0.0", "hello v1.1.0"))
	w.sum(w.dir)
	got, err := sources(t, e, "example.com/embeds", "example.com/hello")
	if err != nil {
		t.Error(err, said(err))
	}
	slices.Sort(got)
	equal(t, "sources", got, []string{"example.com/embeds v1.0.0", "example.com/hello v1.1.0"})
	removed, err := e.Tidy(ctx, []string{"example.com/hello"})
	if err != nil || len(removed) != 1 {
		t.Error(removed, err)
	}
	if _, err := sources(t, e, "example.com/embeds"); err == nil || err.(*Error).Kind != NotRequired {
		t.Error(err)
	}
}

// TestBigger: a program with more packages is used if it has the same versions. After the first time, no
// command is needed to find it.
func TestBigger(t *testing.T) {
	patience.SkipShort(t, "it builds programs")
	w := newWorld(t)
	ctx := context.Background()
	big, _ := compiled(t, w.open(), "example.com/hello", "example.com/embeds")
	if p := w.open().Known([]string{"example.com/embeds"}); p != nil {
		t.Errorf("known before anybody asked for the versions: %+v", p)
	}
	p, err := w.open().Compile(ctx, []string{"example.com/embeds"}, nil)
	if err != nil || p.Path != big.Path {
		t.Fatalf("%+v, %v", p, err)
	}
	if p := w.open().Known([]string{"example.com/embeds"}); p == nil || p.Path != big.Path {
		t.Errorf("%+v", p)
	}
	// The package deep raises the version of hello, so the program is not used.
	e := w.open()
	if _, err := e.Get(ctx, []string{"example.com/hello@v1.0.0", "example.com/deep"}, nil); err != nil {
		t.Fatal(err)
	}
	raised, _ := compiled(t, e, "example.com/hello", "example.com/deep")
	f := w.open()
	if _, err := f.Get(ctx, []string{"example.com/hello@v1.0.0"}, nil); err != nil {
		t.Fatal(err)
	}
	alone, _ := compiled(t, f, "example.com/hello")
	if alone.Path == raised.Path || alone.Path == big.Path {
		t.Error("another version of hello serves")
	}
	if p := w.open().Known([]string{"example.com/embeds"}); p == nil {
		t.Error("forgotten")
	}
	if err := os.RemoveAll(filepath.Dir(big.Path)); err != nil {
		t.Fatal(err)
	}
	pruneAliases(w.cache)
	if left, _ := os.ReadDir(filepath.Join(w.cache, "aliases")); len(left) != 0 {
		t.Errorf("%d aliases of nothing", len(left))
	}
}

// TestSums: a program is not used if the checksums of its modules differ from those in go.sum.
func TestSums(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	e := w.open()
	compiled(t, e, "example.com/hello")
	l, err := e.Lock(ctx)
	if err != nil {
		t.Fatal(err)
	}
	locked := func(sum string) *Env {
		return w.open(func(o *Options) { o.Lock, o.Locked = &Lock{Mod: l.Mod, Sum: sum}, true })
	}
	if p := locked(l.Sum).Known([]string{"example.com/hello"}); p == nil {
		t.Error("not known with the same sums")
	}
	other := "example.com/hello v1.1.0 h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
	if p := locked(other).Known([]string{"example.com/hello"}); p != nil {
		t.Error("known though the sum is another one")
	}
	if _, err := locked(other).Compile(ctx, []string{"example.com/hello"}, nil); err == nil || !strings.Contains(err.Error(), "checksum database") {
		t.Error(err)
	}
}

// TestOwnProject: if a module uses this project's library, the library is not built a second time.
func TestOwnProject(t *testing.T) {
	w := newWorld(t)
	w.files("-- go.mod --\nmodule mine\n\ngo 1.21\n\nrequire " + module.Path + " v0.0.0\n\nreplace " + module.Path + " => ./elsewhere\n" +
		"-- elsewhere/go.mod --\nmodule " + module.Path + "\n-- p/p.go --\npackage p\n\nfunc P() {}\n")
	if _, out := compiled(t, w.open(), "mine/p"); !strings.Contains(out, "mine/p 1 []") {
		t.Error(out)
	}
}

// TestMajor: a module of the user has a major version in its path, and imports a local module that also has
// one.
func TestMajor(t *testing.T) {
	w := newWorld(t)
	w.files(`
-- go.mod --
module example.org/mine/v2

go 1.21

require gopkg.in/mine.v3 v3.1.0

replace gopkg.in/mine.v3 => ./three
-- mine.go --
package mine

import "gopkg.in/mine.v3"

func Mine() int { return three.Three() }
-- three/go.mod --
module gopkg.in/mine.v3
-- three/three.go --
package three

func Three() int { return 3 }
`)
	if _, out := compiled(t, w.open(), "example.org/mine/v2", "gopkg.in/mine.v3"); !strings.Contains(out, "example.org/mine/v2 1 []") {
		t.Error(out)
	}
}

// TestWanted: packages that every kernel has are not compiled in again.
func TestWanted(t *testing.T) {
	w := newWorld(t)
	list := []string{"b.c/d", "fmt", "a.b/c", "gonum.org/v1/gonum/mat", module.Package("ui/display"), "b.c/d"}
	equal(t, "wanted", w.open().wanted(list), []string{"a.b/c", "b.c/d"})
	before := builtAs
	defer func() { builtAs = before }()
	const gonum = "gonum.org/v1/gonum"
	builtAs = func() map[string]xmodule.Version {
		return map[string]xmodule.Version{gonum: {Path: gonum, Version: "v0.17.0"}}
	}
	w.files("-- go.mod --\nmodule m\nrequire " + gonum + " v0.18.0\n")
	equal(t, "wanted in another version", w.open().wanted(list), []string{"a.b/c", "b.c/d", gonum + "/mat"})
	if p, err := new(Env).Compile(context.Background(), []string{"fmt"}, nil); err == nil {
		t.Errorf("%+v", p)
	}
	if p := new(Env).Known(nil); p != nil {
		t.Errorf("%+v", p)
	}
}

// TestFlags: flags that the user has set in GOFLAGS, such as -mod, do no harm.
func TestFlags(t *testing.T) {
	patience.SkipShort(t, "it builds programs")
	w := newWorld(t)
	t.Setenv("GOPACKAGESDRIVER", "/nowhere")
	for _, flags := range []string{"-modcacherw -mod=vendor", "-modcacherw -mod=readonly", "-modcacherw -mod=mod"} {
		t.Setenv("GOFLAGS", flags)
		e := w.open(func(o *Options) { o.Cache = t.TempDir() })
		if _, err := e.Get(context.Background(), []string{"example.com/hello@v1.0.0"}, nil); err != nil {
			t.Errorf("%s: %v\n%s", flags, err, said(err))
			continue
		}
		if _, out := compiled(t, e, "example.com/hello"); !strings.Contains(out, "example.com/hello 1") {
			t.Error(out)
		}
	}
}

func TestCompilingText(t *testing.T) {
	for n, want := range []string{"compiling a.b/c v1", "compiling a.b/c v1", "compiling a.b/c v1 (2 packages)"} {
		if got := compiling("a.b/c v1", n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
