package tablegen

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
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
