package conformance

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goplus/ixgo"
)

// readExamples returns the documentation's examples of the packages below the folder root, sorted by name. It
// returns only examples that state their output. Each is the whole program that the documentation offers to
// run. Examples that need other parts of their package's tests are left out.
func readExamples(t *testing.T, root string) (list []program) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"cmd", "internal", "vendor", "testdata"}, d.Name()):
			return fs.SkipDir
		case d.IsDir():
			return examplesIn(root, path, &list)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list, func(a, b program) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// examplesIn adds the examples of one folder to list.
func examplesIn(root, folder string, list *[]program) error {
	names, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, e := range doc.Examples(file) {
			if e.Play == nil || e.Output == "" && !e.EmptyOutput || !fitsFile(file, name) {
				continue
			}
			var b bytes.Buffer
			if err := format.Node(&b, fset, e.Play); err != nil {
				return err
			}
			*list = append(*list, program{Name: filepath.ToSlash(rel) + ".Example" + e.Name, Source: b.String(), Want: e.Output, File: name, AnyOrder: e.Unordered})
		}
	}
	return nil
}

// fitsFile reports whether a file's build constraints are satisfied on this system.
func fitsFile(file *ast.File, name string) bool {
	for _, group := range file.Comments {
		if group.Pos() > file.Package {
			break
		}
		for _, c := range group.List {
			if !fits(c.Text) {
				return false
			}
		}
	}
	return true
}

// builtIn reports whether cells can import all packages of the program without a download.
func (p program) builtIn() bool {
	file, err := parser.ParseFile(token.NewFileSet(), "", p.Source, parser.ImportsOnly)
	return err == nil && !slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
		_, ok := ixgo.LookupPackage(strings.Trim(i.Path.Value, `"`))
		return !ok
	})
}
