package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestResultsSummarize: a result has a method String. Without one, a cell that ends with the result shows all its
// numbers. Results are exported structs with a Status or a History, and what functions named Fit return.
func TestResultsSummarize(t *testing.T) {
	results := 0
	err := filepath.WalkDir("..", func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if e.Name() == "internal" || e.Name() == "testdata" {
			return fs.SkipDir
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return err
		}
		found, summarizes := map[string]bool{}, map[string]bool{}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					if n.Recv != nil && n.Name.Name == "String" {
						of := n.Recv.List[0].Type
						if p, ok := of.(*ast.StarExpr); ok {
							of = p.X
						}
						if name, ok := of.(*ast.Ident); ok {
							summarizes[name.Name] = true
						}
					}
					if n.Recv == nil && strings.HasPrefix(n.Name.Name, "Fit") {
						if p, ok := n.Type.Results.List[0].Type.(*ast.StarExpr); ok {
							if name, ok := p.X.(*ast.Ident); ok {
								found[name.Name] = true
							}
						}
					}
					return false
				case *ast.TypeSpec:
					if s, ok := n.Type.(*ast.StructType); ok && n.Name.IsExported() && hasField(s, "Status", "History") {
						found[n.Name.Name] = true
					}
				}
				return true
			})
		}
		for name := range found {
			results++
			if !summarizes[name] {
				t.Errorf("%s: %s has no method String", dir, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if results < 30 {
		t.Errorf("found only %d types of results", results)
	}
}

func hasField(s *ast.StructType, names ...string) bool {
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			for _, name := range names {
				if n.Name == name {
					return true
				}
			}
		}
	}
	return false
}
