package module_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"overcomplete/internal/module"
	"overcomplete/internal/testfile"
)

// TestPath compares Path with go.mod.
func TestPath(t *testing.T) {
	text := testfile.Read(t, "../../go.mod")
	m := regexp.MustCompile(`(?m)^module\s+"?([^"\s]+)`).FindSubmatch(text)
	if m == nil || string(m[1]) != module.Path {
		t.Errorf("Path is %q, go.mod has %q", module.Path, m)
	}
}

// TestDataIsOutside checks that the large folders without Go are not part of the module, so that users of the
// module do not download them. Each has a go.mod of its own for that purpose.
func TestDataIsOutside(t *testing.T) {
	folders, err := filepath.Glob("../../paper/*/trained")
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	for _, folder := range append(folders, "../../notebooks", "../../figures") {
		text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err != nil {
			t.Error(err)
			continue
		}
		name := strings.TrimPrefix(filepath.ToSlash(folder), "../../")
		if want := "\nmodule " + module.Package(name) + "\n"; !strings.Contains(string(text), want) {
			t.Errorf("%s/go.mod is without %q", name, want)
		}
	}
}

// TestOnlyHere checks that no other code has the path in a string. A rename might miss it there, because it
// only changes imports, and texts that look like imports.
func TestOnlyHere(t *testing.T) {
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil // skip testdata
		}
		imports := map[ast.Expr]bool{}
		for _, spec := range f.Imports {
			imports[spec.Path] = true
		}
		tables := strings.HasSuffix(name, "_bind.go") // generated again after a rename
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || imports[lit] || tables {
				return true
			}
			if text, err := strconv.Unquote(lit.Value); err == nil && mention.MatchString(text) {
				t.Errorf("%s: %s has the module's path: use package module", fset.Position(lit.Pos()), lit.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// mention matches an import path of the module in a string.
var mention = regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(module.Path) + `/($|internal|ui|data|kernel-helpers|kernel|paper|suite|cmd)\b`)

func TestFolder(t *testing.T) {
	for path, want := range map[string]string{
		module.Package("ui/display"):                    "ui/display",
		module.Package("paper/lab") + ".(*Lab).Context": "paper/lab.(*Lab).Context",
		module.Path:               "",
		module.Path + "x/y":       "",
		"fmt":                     "",
		"a/" + module.Path + "/b": "",
	} {
		if got, ok := module.Folder(path); ok != (want != "") || ok && got != want {
			t.Errorf("Folder(%q) = %q, %t; want %q", path, got, ok, want)
		}
		if got := module.Has(path); got != (want != "") {
			t.Errorf("Has(%q) = %t", path, got)
		}
	}
}
