package conformance

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goplus/ixgo"
)

// readPackages returns a program for each package below the folder root that can be one: a package that imports
// only what cells can import, and has no assembly. The program is the whole package together with its own tests,
// as one package main, and runs the tests. skip reports whether a test, by package and name, is left out. tests is
// the number of tests in all programs.
func readPackages(t *testing.T, root string, skip func(name string) bool) (list []program, tests int) {
	err := filepath.WalkDir(root, func(folder string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if slices.Contains([]string{"cmd", "internal", "vendor", "testdata"}, d.Name()) {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(root, folder)
		if err != nil {
			return err
		}
		p, n := packageProgram(filepath.ToSlash(rel), folder, skip)
		if n > 0 {
			list, tests = append(list, p), tests+n
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, tests
}

// packageProgram returns the program for the package in a folder, and the number of its tests, which is 0 if the
// package cannot be a program.
func packageProgram(importPath, folder string, skip func(name string) bool) (program, int) {
	p, err := build.ImportDir(folder, 0)
	if err != nil || len(p.SFiles)+len(p.CgoFiles)+len(p.EmbedPatterns)+len(p.TestEmbedPatterns) > 0 || p.IsCommand() {
		return program{}, 0
	}
	// The tests of package x_test are in the program if that is possible.
	for _, files := range [][]string{
		slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles),
		slices.Concat(p.GoFiles, p.TestGoFiles),
	} {
		m := merged{path: importPath, imports: map[string]string{}, declared: map[string]bool{}}
		for _, name := range files {
			if !m.add(filepath.Join(folder, name), skip) {
				m.tests = nil
				break
			}
		}
		if len(m.tests) > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(m.imports)), func(name string) bool { return m.declared[name] }) {
			return program{Name: importPath, Source: m.source(), File: filepath.Join(folder, p.GoFiles[0]), Tests: true}, len(m.tests)
		}
	}
	return program{}, 0
}

// merged is a package whose files are being put into one.
type merged struct {
	path     string
	imports  map[string]string // keyed by name
	declared map[string]bool
	tests    []string
	body     bytes.Buffer
}

// add adds a file. The result is false if the file cannot be part of the program.
func (m *merged) add(file string, skip func(name string) bool) bool {
	src, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil || linked.Match(src) {
		return false
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	var cuts [][2]int // parts of the file that are left out
	own := ""         // the name by which the tests of package x_test call x
	for _, i := range f.Imports {
		from := strings.Trim(i.Path.Value, `"`)
		name := path.Base(from)
		if v := path.Base(path.Dir(from)); version.MatchString(name) {
			name = v
		}
		if i.Name != nil {
			name = i.Name.Name
		}
		if from == m.path {
			own = name
			continue
		}
		if _, ok := ixgo.LookupPackage(from); !ok && from != "unsafe" || name == "." {
			return false
		}
		if name == "_" {
			name = "_ " + from
		}
		if cmp.Or(m.imports[name], from) != from {
			return false
		}
		m.imports[name] = from
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				cuts = append(cuts, [2]int{at(d.Pos()), at(d.End())})
			}
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if !m.declare(n.Name) {
							return false
						}
					}
				case *ast.TypeSpec:
					if !m.declare(s.Name.Name) {
						return false
					}
				}
			}
		case *ast.FuncDecl:
			if d.Body == nil || d.Recv == nil && !m.declare(d.Name.Name) {
				return false
			}
			if name := d.Name.Name; isTest(d) && !skip(m.path+"."+name) {
				m.tests = append(m.tests, name)
			}
		}
	}
	if own != "" && own != "." {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == own {
					cuts = append(cuts, [2]int{at(s.Pos()), at(s.Sel.Pos())})
				}
			}
			return true
		})
	}
	slices.SortFunc(cuts, func(a, b [2]int) int { return a[0] - b[0] })
	from := at(f.Name.End())
	for _, c := range cuts {
		m.body.Write(src[from:c[0]])
		from = c[1]
	}
	m.body.Write(src[from:])
	m.body.WriteByte('\n')
	return true
}

var (
	linked  = regexp.MustCompile(`(?m)^//go:linkname`)
	version = regexp.MustCompile(`^v\d+$`)
)

// declare records a declaration. The result is false if another file declares the same name.
func (m *merged) declare(name string) bool {
	if name == "_" || name == "init" {
		return true
	}
	was := m.declared[name]
	m.declared[name] = true
	return !was && name != "main"
}

// isTest reports whether a declared function is a test.
func isTest(d *ast.FuncDecl) bool {
	in := d.Type.Params.List
	if d.Recv != nil || !strings.HasPrefix(d.Name.Name, "Test") || len(in) != 1 {
		return false
	}
	p, ok := in[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	s, ok := p.X.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "T"
}

// source returns the text of the program.
func (m *merged) source() string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	m.imports["testing"], m.imports["os"] = "testing", "os"
	for _, name := range slices.Sorted(maps.Keys(m.imports)) {
		as, _, _ := strings.Cut(name, " ")
		fmt.Fprintf(&b, "\t%s %q\n", as, m.imports[name])
	}
	b.WriteString(")\n")
	b.Write(m.body.Bytes())
	b.WriteString("\nfunc main() {\n\tall := []testing.InternalTest{\n")
	for _, name := range m.tests {
		fmt.Fprintf(&b, "\t\t{%q, %s},\n", name, name)
	}
	b.WriteString("\t}\n\tif !testing.RunTests(func(string, string) (bool, error) { return true, nil }, all) {\n\t\tos.Exit(1)\n\t}\n}\n")
	return b.String()
}
