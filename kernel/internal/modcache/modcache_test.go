package modcache

import (
	"maps"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/testfile"
)

// tree writes files, given as alternating names and contents, and returns their folder.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		testfile.Write(t, filepath.Join(dir, filepath.FromSlash(files[i])), files[i+1])
	}
	return dir
}

// cached returns a module cache as the go command leaves it.
func cached(t *testing.T) *Cache {
	return Open(tree(t,
		"cache/download/example.com/plants/@v/list", "v1.0.0\nv1.10.0\nv1.9.0\nv2.0.0-rc.1\n",
		"cache/download/sumdb/x", "",
		"example.com/plants@v1.9.0/plants.go", "package plants",
		"example.com/plants@v1.10.0/plants.go", "package plants",
		"example.com/plants@v1.10.0/tree/oak.go", "package tree",
		"example.com/plants@v1.10.0/tree/oak_test.go", "package tree",
		"example.com/plants@v1.10.0/internal/x.go", "package internal",
		"example.com/plants@v1.10.0/testdata/x.go", "package testdata",
		"example.com/plants@v1.10.0/_x/x.go", "package x",
		"example.com/plants@v1.10.0/cmd/plants/main.go", "package main",
		"example.com/plants@v1.10.0/onlytests/x_test.go", "package onlytests",
		"example.com/plants@v1.10.0/nested/go.mod", "module example.com/plants/nested",
		"example.com/plants@v1.10.0/nested/x.go", "package nested",
		"example.com/plants@v1.10.0/odd/a.go", "// +build ignore\n\npackage main",
		"example.com/plants@v1.10.0/odd/b.go", "package even",
		"example.com/plants/v3@v3.0.0/plants.go", "package plants",
		"github.com/!burnt!sushi/toml@v1.6.0/decode.go", "package toml",
		"golang.org/toolchain@v0.0.1-go1.27.0.linux-amd64/src/fmt/x.go", "package fmt",
	))
}

func TestModules(t *testing.T) {
	c := cached(t)
	got := c.Modules()
	if len(got) != 3 || !slices.Equal(got["example.com/plants"], []string{"v1.10.0", "v1.9.0"}) ||
		!slices.Equal(got["example.com/plants/v3"], []string{"v3.0.0"}) || !slices.Equal(got["github.com/BurntSushi/toml"], []string{"v1.6.0"}) {
		t.Errorf("%v", got)
	}
	if got := strings.Join(c.Versions("example.com/plants"), " "); got != "v1.10.0 v1.9.0 v1.0.0 v2.0.0-rc.1" {
		t.Errorf("versions: %s", got)
	}
	for _, path := range []string{"", "../..", "no such", "example.com/other"} {
		if got := c.Versions(path); len(got) != 0 {
			t.Errorf("%s has %v", path, got)
		}
	}
	if dir := c.Dir("github.com/BurntSushi/toml", "v1.6.0"); filepath.Base(dir) != "toml@v1.6.0" {
		t.Errorf("toml is in %q", dir)
	}
	for _, m := range [][2]string{{"example.com/plants", "v1.0.0"}, {"example.com/../plants", "v1.9.0"}, {"", ""}} {
		if dir := c.Dir(m[0], m[1]); dir != "" {
			t.Errorf("%v is in %q", m, dir)
		}
	}
	for _, root := range []string{filepath.Join(t.TempDir(), "none"), string([]byte{0})} {
		if got := Open(root).Modules(); len(got) != 0 {
			t.Errorf("%q: %v", root, got)
		}
	}
}

func TestPackages(t *testing.T) {
	c := cached(t)
	dir := c.Dir("example.com/plants", "v1.10.0")
	want := []Package{{"example.com/plants", "plants"}, {"example.com/plants/odd", "even"}, {"example.com/plants/tree", "tree"}}
	for range 2 {
		if got := c.Packages("example.com/plants", dir, true); !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
	}
	// Permanent folders are not read again; folders that may change are read again.
	testfile.Write(t, filepath.Join(dir, "onlytests", "x.go"), "package onlytests")
	if n := len(c.Packages("example.com/plants", dir, true)); n != 3 {
		t.Errorf("%d packages", n)
	}
	defer func(d time.Duration) { freshFolder = d }(freshFolder)
	if freshFolder = time.Hour; len(c.Packages("example.com/plants", dir, false)) != 3 {
		t.Error("a folder is read again at once")
	}
	freshFolder = -1
	if n := len(c.Packages("example.com/plants", dir, false)); n != 4 {
		t.Errorf("%d packages", n)
	}
}

func describe(list []Module) string {
	var words []string
	for _, m := range list {
		word := m.Path + "@" + m.Version
		for text, is := range map[string]bool{" local": m.Local, " gone": m.Dir == ""} {
			if is {
				word += text
			}
		}
		if m.Indirect {
			word += " indirect"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func TestRequired(t *testing.T) {
	c := cached(t)
	dir := tree(t,
		"a/go.mod", `module example.com/a
go 1.26
require (
	example.com/plants v1.9.0
	example.com/b v0.0.0
	example.com/gone v1.0.0 // indirect
	example.com/fork v1.0.0
)
replace example.com/b => ../b
replace example.com/fork v1.0.0 => github.com/BurntSushi/toml v1.6.0
`,
		"b/go.mod", "module example.com/b\nrequire example.com/a v1.0.0\nrequire example.com/plants v1.10.0\n",
		"go.work", "go 1.26\nuse ./a\nuse (\n./b\n./none\n)\nreplace example.com/plants => ./b\n",
		"bad/go.mod", "module module module",
		"old/go.mod", "module example.com/old\nrequire example.com/plants v1.9.0\nnonsense of a newer Go\n",
	)
	for file, want := range map[string]string{
		"a/go.mod":   "example.com/a@ local, example.com/plants@v1.9.0, example.com/b@v0.0.0 local, example.com/gone@v1.0.0 gone indirect, example.com/fork@v1.0.0",
		"go.work":    "example.com/a@ local, example.com/b@ local, example.com/plants@v1.9.0 local, example.com/gone@v1.0.0 gone indirect, example.com/fork@v1.0.0",
		"bad/go.mod": "", "none/go.mod": "",
		"old/go.mod": "example.com/old@ local, example.com/plants@v1.9.0",
	} {
		if got := describe(c.Required(filepath.Join(dir, file), "")); got != want {
			t.Errorf("%s:\n got %s\nwant %s", file, got, want)
		}
	}
	for _, test := range []struct{ file, mod, want string }{
		{"a/go.mod", "module example.com/a\nrequire example.com/plants v1.10.0\n", "example.com/a@ local, example.com/plants@v1.10.0"},
		{"", "module notebook\nrequire example.com/plants v1.10.0\n", "example.com/plants@v1.10.0"},
		{"go.work", "module more\nrequire github.com/BurntSushi/toml v1.6.0\n", "example.com/a@ local, example.com/b@ local, example.com/plants@v1.9.0 local, example.com/gone@v1.0.0 gone indirect, example.com/fork@v1.0.0, github.com/BurntSushi/toml@v1.6.0"},
	} {
		file := test.file
		if file != "" {
			file = filepath.Join(dir, file)
		}
		if got := describe(c.Required(file, test.mod)); got != test.want {
			t.Errorf("%s with a text:\n got %s\nwant %s", test.file, got, test.want)
		}
	}
	for _, m := range c.Required(filepath.Join(dir, "go.work"), "") {
		if m.Path == "example.com/fork" && filepath.Base(m.Dir) != "toml@v1.6.0" || m.Path == "example.com/b" && m.Dir != filepath.Join(dir, "b") {
			t.Errorf("%s is in %s", m.Path, m.Dir)
		}
	}
}

func TestCompiledDir(t *testing.T) {
	c := cached(t)
	folder := tree(t, "leaf/leaf.go", "package leaf")
	before := linked
	defer func() { linked = before }()
	linked = func() []*debug.Module {
		return []*debug.Module{
			{Path: "example.com/plants", Version: "v1.10.0"},
			{Path: "example.com/plants/nested", Version: "v1.0.0"},
			{Path: "example.com/local", Version: "v1.0.0", Replace: &debug.Module{Path: folder}},
			{Path: "example.com/fork", Version: "v1.0.0", Replace: &debug.Module{Path: "github.com/BurntSushi/toml", Version: "v1.6.0"}},
			{Path: "example.com/here", Version: "v1.0.0", Replace: &debug.Module{Path: "./here"}},
		}
	}
	for path, want := range map[string]string{
		"example.com/plants/tree":   filepath.Join(c.root, "example.com", "plants@v1.10.0", "tree"),
		"example.com/plants":        filepath.Join(c.root, "example.com", "plants@v1.10.0"),
		"example.com/plants/nested": "", // not downloaded
		"example.com/plantsman":     "",
		"example.com/local/leaf":    filepath.Join(folder, "leaf"),
		"example.com/fork":          filepath.Join(c.root, "github.com", "!burnt!sushi", "toml@v1.6.0"),
		"example.com/here":          "", // the source is on another machine
		"no/such":                   "",
	} {
		if got := c.CompiledDir(path); got != want {
			t.Errorf("%s is in %q, want %q", path, got, want)
		}
	}
	if a, b, c := Linked("example.com/plants"), Linked("example.com/fork"), Linked("example.com/none"); a != "v1.10.0" || b != "" || c != "" {
		t.Errorf("linked: %q %q %q", a, b, c)
	}
	if dir := c.CompiledDir("go/ast"); goroot() != "" && filepath.Base(dir) != "ast" {
		t.Errorf("go/ast is in %q", dir)
	}
}

// TestUserCache: the location is the one that the go command would use.
func TestUserCache(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "env")
	testfile.Write(t, file, "GOFLAGS=-x\nGOPATH=/from/file\n")
	for _, test := range []struct{ cache, path, file, want string }{
		{"/the/cache", "/the/path", file, "/the/cache"},
		{"", "/the/path" + string(filepath.ListSeparator) + "/other", file, filepath.Join("/the/path", "pkg", "mod")},
		{"", "", file, filepath.Join("/from/file", "pkg", "mod")},
	} {
		t.Setenv("GOMODCACHE", test.cache)
		t.Setenv("GOPATH", test.path)
		t.Setenv("GOENV", test.file)
		if got := userCache(); got != test.want {
			t.Errorf("%v: %s", test, got)
		}
	}
	t.Setenv("GOENV", "off")
	if got := userCache(); !strings.HasSuffix(got, filepath.Join("go", "pkg", "mod")) {
		t.Errorf("by default it is %s", got)
	}
}

func TestHint(t *testing.T) {
	c := cached(t)
	file := filepath.Join(tree(t, "go.mod", "module shed\nrequire example.com/plants v1.10.0\nrequire github.com/google/uuid v1.6.0 // indirect\n", "rake/r.go", "package rake\n"), "go.mod")
	pinned := NewView(c, func() (string, string, bool) {
		return "", "module notebook\nrequire example.com/plants v1.10.0\n", false
	})
	if got := pinned.Hint("even"); got != `add import "example.com/plants/odd"` {
		t.Errorf("pinned: %q", got)
	}
	for _, test := range []struct {
		file  string
		rules bool
		name  string
		want  string
	}{
		{file, true, "plants", `add import "example.com/plants"`},
		{file, true, "even", `add import "example.com/plants/odd"`},
		{file, true, "rake", `add import "shed/rake"`},
		{file, true, "uuid", `add import "github.com/google/uuid"`},
		{file, true, "toml", `import "github.com/BurntSushi/toml" after %get github.com/BurntSushi/toml`},
		{"", false, "toml", `add import "github.com/BurntSushi/toml"`},
		{"", false, "plants", ""},
		{file, true, "nothing", ""},
		{"", true, "toml", ""}, // modules are off
	} {
		v := NewView(c, func() (string, string, bool) { return test.file, "", test.rules })
		if got := v.Hint(test.name); got != test.want {
			t.Errorf("%v: %q", test, got)
		}
	}
	if got := NewView(c, nil).Hint("toml"); got != "" {
		t.Errorf("without modules: %q", got)
	}
}

// TestSetting: a setting comes from the environment, or else from the file of `go env -w`.
func TestSetting(t *testing.T) {
	file := filepath.Join(t.TempDir(), "env")
	testfile.Write(t, file, "GOAMD64=v3\nGOFLAGS=-tags=a b\n#GOEXPERIMENT=x\n")
	t.Setenv("GOENV", file)
	got := map[string]string{}
	for _, name := range []string{"GOAMD64", "GOFLAGS", "GOEXPERIMENT"} {
		t.Setenv(name, "")
		got[name] = Setting(name)
	}
	if want := map[string]string{"GOAMD64": "v3", "GOFLAGS": "-tags=a b", "GOEXPERIMENT": ""}; !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
	t.Setenv("GOAMD64", "v1")
	if s := Setting("GOAMD64"); s != "v1" {
		t.Error(s)
	}
	t.Setenv("GOAMD64", "")
	t.Setenv("GOENV", "off")
	if s := Setting("GOAMD64"); s != "" {
		t.Error(s)
	}
}
