package tablegen

import (
	"archive/zip"
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/tablefile"
	"overcomplete/internal/testfile"

	"golang.org/x/tools/go/packages"
)

// check type-checks a package of one file.
func check(t *testing.T, text string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p, err := (&types.Config{Importer: importer.Default()}).Check("a.b/c-d", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const sample = `package cd

type T struct{}
type A = T
type G[X any] struct{}
type C interface{ ~int }
type I interface{ M() }
const K = 1.5
var V int
func F() {}
func H[X any]() {}
`

// TestTable: tables are correct for packages with unusual names, and omit exports that cells cannot use.
func TestTable(t *testing.T) {
	opt := Options{Package: "main", Variable: Identifier("a.b/c-d"), Bound: func(string) bool { return false }}
	text, generic, err := Table(check(t, sample), opt)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(generic, []string{"C", "G", "H"}) {
		t.Errorf("generic: %q", generic)
	}
	for _, want := range []string{
		Generated, "\npackage main\n", "q \"a.b/c-d\"", "var pkg_a_b_c_d = bind.Package{", `Generic: []string{"C", "G", "H"},`,
		"{Name: \"T\", Value: (*q.T)(nil)},\n", "{Name: \"A\"", "{Name: \"V\", Value: &q.V}", "{Name: \"F\", Value: q.F}", `Value: bind.Exact("3/2")`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "x.go", text, 0); err != nil {
		t.Error(err)
	}
	opt.Own = true
	if text, _, err := Table(check(t, sample), opt); err == nil || !strings.Contains(err.Error(), "H is a generic function") || text == nil {
		t.Errorf("%v, %d bytes", err, len(text))
	}
	opt.Source, opt.Sourced = "package cd\n\nfunc H[X any]() {}\n", []string{"C", "G", "H"}
	if text, generic, err := Table(check(t, sample), opt); err != nil || len(generic) > 0 ||
		!strings.Contains(string(text), "Source: `package cd\n") {
		t.Errorf("%v, %q\n%s", err, generic, text)
	}
}

// TestJoin: several tables can be in one file, and each can be taken out again.
func TestJoin(t *testing.T) {
	var tables [][]byte
	for _, path := range []string{"lib/zeta", "lib", "lib/alpha/v2"} {
		p := types.NewPackage(path, strings.TrimSuffix(strings.ReplaceAll(path[strings.Index(path, "/")+1:], "/", ""), "v2"))
		text := types.NewTuple(types.NewVar(token.NoPos, p, "s", types.Typ[types.String]))
		p.Scope().Insert(types.NewFunc(token.NoPos, p, "Upper", types.NewSignatureType(nil, nil, nil, text, nil, false)))
		opt := Options{Package: "x", Variable: Identifier(path), Alias: Alias(path, p.Name()), Bound: func(string) bool { return false }}
		if path == "lib" {
			opt.Source = "package lib\n\nfunc init() { lib.Register(1) }\n\nvar a = T{\n}\n"
		}
		table, _, err := Table(p, opt)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	file, err := tablefile.Join(tables...)
	if err != nil {
		t.Fatal(err)
	}
	if formatted, err := format.Source(file); err != nil || !bytes.Equal(formatted, file) {
		t.Errorf("not formatted: %v\n%s", err, file)
	}
	imports := "import (\n\t\"lib\"\n\talpha_v2 \"lib/alpha/v2\"\n\t\"lib/zeta\"\n\n"
	if !strings.Contains(string(file), imports) {
		t.Errorf("no %q in\n%s", imports, file)
	}
	again, err := tablefile.Split(file)
	if err != nil || !slices.EqualFunc(again, tables, bytes.Equal) {
		t.Errorf("%v\n%s", err, again)
	}
	other := bytes.Replace(tables[0], []byte("package x"), []byte("//go:build go1.99\n\npackage x"), 1)
	if _, err := tablefile.Join(tables[1], other); err == nil || !strings.Contains(err.Error(), "lib and lib/zeta cannot be in the same file") {
		t.Errorf("different constraints: %v", err)
	}
	for _, text := range []string{"", "package x\n", strings.Replace(string(file), "\t\"lib\"\n", "", 1)} {
		if _, err := tablefile.Split([]byte(text)); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
}

// words imports a package with the function Upper from any path.
type words struct{}

func (words) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path)
	text := types.NewTuple(types.NewVar(token.NoPos, p, "s", types.Typ[types.String]))
	p.Scope().Insert(types.NewFunc(token.NoPos, p, "Upper", types.NewSignatureType(nil, nil, nil, text, text, false)))
	p.MarkComplete()
	return p, nil
}

// TestSource: the file with the generic declarations of a package imports the package to use its other
// declarations, and cannot use what cells cannot use.
func TestSource(t *testing.T) {
	load := func(text string) *packages.Package {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
		p, err := (&types.Config{Importer: words{}}).Check("a.b/c-d", fset, []*ast.File{f}, info)
		if err != nil {
			t.Fatal(err)
		}
		return &packages.Package{PkgPath: "a.b/c-d", Name: "cd", Types: p, TypesInfo: info, Syntax: []*ast.File{f}, Fset: fset}
	}
	bound := func(path string) bool { return path != "os" }
	none := func(types.Object) bool { return false }
	const plain = `package cd

import (
	"english"
	"os"
)

// T has no type parameters.
type T struct{ N int }

func hidden() string { return os.Upper("x") }

func Shown() string { return english.Upper(hidden()) }
`
	if p := load(plain); IsGeneric(p.Types) {
		t.Error("the package is not generic")
	}
	p := load(plain + `
// G is generic.
type G[X any] struct {
	T // embedded
	x X
}

func (g *G[X]) Add(x X) { g.N++; g.x = x }

func less[X any](x X) G[X] { return G[X]{T: T{N: 2}, x: x} }

func Make[X any](x X) G[X] { english.Upper(Shown()); return less(x) }
`)
	text, names, err := Source(p, bound, none)
	want := `package cd

import cd "a.b/c-d"
import "english"

type G[X any] struct {
	cd.T
	x X
}

func (g *G[X]) Add(x X) { g.N++; g.x = x }

func less[X any](x X) G[X] { return G[X]{T: cd.T{N: 2}, x: x} }

func Make[X any](x X) G[X] { english.Upper(cd.Shown()); return less(x) }
`
	spaces := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if err != nil || spaces(text) != spaces(want) || !IsGeneric(p.Types) || !slices.Equal(names, []string{"G", "Make", "less"}) {
		t.Errorf("%v, %q\n%s", err, names, text)
	}
	for _, c := range []struct{ text, names, fault string }{
		{"func Make[X any](x X) string { return hidden() }", "", "hidden"},
		{"func Make[X any](x X) int { return len(os.Upper(`x`)) }", "", "os"},
		{"func Make[X any](x X) string { return hidden() }\n\nfunc Use[X any](x X) string { return Make(x) }\n\nfunc Other[X any](x X) X { return x }", "Other", "hidden"},
		{"type S struct{ n int }\n\nfunc Get[X any](x X, s S) int { return s.n }\n\nfunc Id[X any](x X) X { return x }", "Id", "s.n undefined"},
		{"type G[X any] struct{ x X }\n\nfunc (g G[X]) A() string { return hidden() }\n\nfunc (g G[X]) B() X { return g.x }\n\nfunc Of[X any](x X) G[X] { return G[X]{x} }", "", "hidden"},
		{"type Number interface{ ~int | ~float64 }\n\ntype small interface{ Number; ~int }\n\nfunc Add[X Number](x X) X { return x + x }\n\nfunc add[X small](x X) X { return x }", "Add Number", ""},
		{"type G[X any] struct{ x X }\n\nfunc (g *G[X]) set(x X) { g.x = x }\n\nfunc Of[X any](x X) G[X] { var g G[X]; g.set(x); return g }\n\nfunc Id[X any](x X) X { return x }", "Id", "the unexported method set"},
		{"func id[X any](x X) X { return other(x) }\n\nfunc other[X any](x X) X { hidden(); return x }", "", ""},
	} {
		text, names, err := Source(load(plain+"\n"+c.text+"\n"), bound, none)
		if got := strings.Join(names, " "); got != c.names || (text == "") != (c.names == "") {
			t.Errorf("%s\ndeclares %q\n%s", c.text, got, text)
		}
		if got := fmt.Sprint(err); (err == nil) != (c.fault == "") || !strings.Contains(got, "uses "+c.fault) && c.fault != "" {
			t.Errorf("%s\n%s", c.text, got)
		}
	}
}

// TestEmpty: a package without exports is still imported, for its initialization.
func TestEmpty(t *testing.T) {
	text, _, err := Table(check(t, "package cd\n"), Options{Package: "main", Variable: "x"})
	if err != nil || !strings.Contains(string(text), `_ "a.b/c-d"`) {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestIdentifier(t *testing.T) {
	for path, want := range map[string]string{"a.b/c-d_e1": "a_b_c_d_e1", "ä/x": "__x", "": ""} {
		if got := Identifier(path); got != want {
			t.Errorf("Identifier(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestArchive: the bytes of an archive are the same from run to run, and can be read back.
func TestArchive(t *testing.T) {
	a := map[string][]byte{"x": []byte("1"), "y": []byte("2")}
	one, err := WriteZip(a, zip.Deflate, nil)
	if err != nil {
		t.Fatal(err)
	}
	two, _ := WriteZip(a, zip.Deflate, nil)
	if string(one) != string(two) {
		t.Error("the archive differs from run to run")
	}
	name := filepath.Join(t.TempDir(), "a.zip")
	if _, err := ReadZip(name); err == nil {
		t.Error("no error for an archive that is not there")
	}
	testfile.Write(t, name, one)
	b, err := ReadZip(name)
	if err != nil || !maps.EqualFunc(a, b, bytes.Equal) {
		t.Errorf("read back: %q, %v", b, err)
	}
}
