package insight_test

import (
	"archive/zip"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/go/packages"

	"overcomplete/kernel/bind"
	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/internal/tablegen"
)

// orchard is a compiled-in package of another module. Programs built by package modules register archives like
// this one.
const orchard = `// Package orchard has trees.
package orchard

// A Tree bears fruit.
type Tree struct {
	Fruit int // per year
}

// Pick takes some of the fruit.
func (t *Tree) Pick(n int) (left int) { return t.Fruit - n }

// Plant returns a tree.
func Plant(kind string) *Tree { return &Tree{} }

// Each is not in the table, because it is generic.
func Each[T any](f func(T)) {}
`

func init() {
	dir, err := os.MkdirTemp("", "orchard")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "orchard.go")
	if err := os.WriteFile(name, []byte(orchard), 0o666); err != nil {
		panic(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, nil, 0)
	if err != nil {
		panic(err)
	}
	const path = "example.com/orchard"
	pkg, err := new(types.Config).Check(path, fset, []*ast.File{f}, nil)
	if err != nil {
		panic(err)
	}
	members, err := tablegen.Describe([]*packages.Package{{PkgPath: path, Name: "orchard", Types: pkg, GoFiles: []string{name}}},
		map[string][]string{path: {"Each"}})
	if err != nil {
		panic(err)
	}
	archive, err := tablegen.WriteZip(members, zip.Deflate, nil)
	if err != nil {
		panic(err)
	}
	bind.Describe(fstest.MapFS{apidoc.ArchiveName(0): {Data: archive}})
}

// TestArchive: completion and inspection know a package that package modules has compiled in as well as they know the
// kernel's packages.
func TestArchive(t *testing.T) {
	in, _ := start(t, nil)
	for _, test := range []struct{ code, want, not string }{
		{"orch|", "orchard:module", ""},
		{"orchard.|", "Plant:function Tree:class", "Each"},
		{"orchard.Plant(\"apple\").|", "Fruit:field Pick:method", ""},
		{"import \"example.com/or|\"", "example.com/orchard:module", ""},
	} {
		checkComplete(t, in, test.code, test.want, test.not)
	}
	for code, want := range map[string]string{
		"orchard.Plan~t":                "func orchard.Plant(kind string) *orchard.Tree|Plant returns a tree.|not imported yet",
		"orchard.Plant(\"a\").Pi~ck(1)": "Pick takes some of the fruit.",
		"orchard.Tree{Fru~it: 1}":       "per year",
		"orch~ard":                      "Package orchard has trees.",
	} {
		checkInspect(t, in, code, want)
	}
}
