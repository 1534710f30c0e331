package modules

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// checked type-checks packages of one file each, given by path and source. Each package can import the earlier
// ones.
func checked(t *testing.T, sources ...[2]string) (list []*packages.Package) {
	t.Helper()
	fset := token.NewFileSet()
	done := map[string]*types.Package{}
	for _, s := range sources {
		f, err := parser.ParseFile(fset, s[0], s[1], 0)
		if err != nil {
			t.Fatal(err)
		}
		conf := types.Config{Importer: importFunc(func(path string) (*types.Package, error) {
			if p := done[path]; p != nil {
				return p, nil
			}
			return importer.Default().Import(path)
		})}
		p, err := conf.Check(s[0], fset, []*ast.File{f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		done[s[0]] = p
		list = append(list, &packages.Package{PkgPath: s[0], Types: p})
	}
	return list
}

type importFunc func(string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

func TestCompanions(t *testing.T) {
	mod, other := &listedModule{Path: "example.com/m", Version: "v1.0.0"}, &listedModule{Path: "example.com/other", Version: "v1.0.0"}
	all := []*goPackage{
		{ImportPath: "io", Standard: true},
		{ImportPath: "example.com/other/x", Name: "x", Module: other},
		{ImportPath: "example.com/m/internal/deep", Name: "deep", Module: mod, Imports: []string{"io"}},
		{ImportPath: "example.com/m/types", Name: "types", Module: mod, Imports: []string{"example.com/m/internal/deep", "example.com/other/x"}},
		{ImportPath: "example.com/m/apart", Name: "apart", Module: mod},
		{ImportPath: "example.com/m", Name: "m", Module: mod, Imports: []string{"example.com/m/types"}},
	}
	b := &buildPlan{spec: &programSpec{packages: []string{"example.com/m"}}}
	// A package is no companion if it is not linked, if cells must not import it, or if it belongs to another module.
	equal(t, "companions", b.companions(all), []string{"example.com/m/types"})
}

func TestChoose(t *testing.T) {
	sources := [][2]string{
		{"m/inner", "package inner\n\ntype Inner struct{}\n"},
		{"m/types", "package types\n\nimport \"m/inner\"\n\ntype T struct{ I inner.Inner }\n"},
		{"m/apart", "package apart\n\nfunc F() {}\n"},
		{"m/generic", "package generic\n\nfunc Map[T any](T) {}\n\ntype G[T any] struct{ X T }\n\nconst C = 1\n"},
		{"m", "package m\n\nimport (\n\t\"m/generic\"\n\t\"m/types\"\n)\n\nfunc New() *types.T { return nil }\n\nvar G generic.G[int]\n"},
	}
	loaded := checked(t, sources...)
	wanted, companions := []string{"m"}, []string{"m/apart", "m/generic", "m/inner", "m/types"}
	equal(t, "few", choose(loaded, wanted, companions), []string{"m", "m/apart", "m/inner", "m/types"})
	for i := range fewCompanions {
		companions = append(companions, fmt.Sprintf("m/more%d", i))
	}
	got := choose(loaded, wanted, companions)
	equal(t, "many", got, []string{"m", "m/inner", "m/types"})
	if !slices.Equal(wanted, []string{"m"}) {
		t.Error("the argument was changed")
	}
}
