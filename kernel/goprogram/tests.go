package goprogram

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// splitTests moves the functions of the notebook's %%test cells, and the variables that only they use, from a program
// into a file of tests. If there are no such functions, tests is nil. Functions and variables that other code of the
// program uses stay in the program. A function that needs other variables of the cells becomes a comment, because main
// sets these variables. The file of tests begins with the first line of the given title. name(path) must return the
// name of the package with the given path.
func (n *names) splitTests(source []byte, cells []*cell, title string, name func(path string) string) (program, tests []byte, err error) {
	movable, needed, found := map[string]bool{}, map[string][]string{}, false
	for _, c := range cells {
		for _, p := range c.parts {
			if !p.isTest() && !p.early {
				continue
			}
			for _, e := range p.declares {
				movable[e.out] = true
				if p.isTest() {
					found = true
					needed[e.out] = n.needed(p)
				}
			}
		}
	}
	if !found {
		return source, nil, nil
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", source, parser.ParseComments)
	if err != nil {
		return nil, nil, err
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	first, _, _ := strings.Cut(title, "\n")
	var rest, moved bytes.Buffer
	fmt.Fprintf(&moved, "%s\n\npackage %s\n\n", first, f.Name.Name)
	at := 0
	list := testDecls(f, movable)
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			moved.Write(source[offset(g.Pos()):offset(g.End())])
			moved.WriteByte('\n')
		}
		if !slices.Contains(list, d) {
			continue
		}
		from, to := offset(d.Pos()), offset(d.End())
		if doc := docOf(d); doc != nil {
			from = offset(doc.Pos())
		}
		rest.Write(source[at:from])
		at = to
		text := string(source[from:to])
		if name := declaredBy(d)[0]; len(needed[name]) > 0 {
			text = fmt.Sprintf("// %s needs %s, which cells of the notebook set:\n//\n//\t%s", name, strings.Join(needed[name], ", "), strings.ReplaceAll(text, "\n", "\n//\t"))
		}
		moved.WriteString("\n" + text + "\n")
	}
	rest.Write(source[at:])
	if program, err = withoutUnused(rest.Bytes(), name); err == nil {
		tests, err = withoutUnused(moved.Bytes(), name)
	}
	return program, tests, err
}

// testDecls returns the declarations of f that move to the file of tests: those of the given names, if no other code
// uses them.
func testDecls(f *ast.File, names map[string]bool) (list []ast.Decl) {
	names = maps.Clone(names)
	moves := func(d ast.Decl) bool {
		declared := declaredBy(d)
		return len(declared) > 0 && !slices.ContainsFunc(declared, func(name string) bool { return !names[name] })
	}
	for changed := true; changed; {
		changed = false
		for _, d := range f.Decls {
			if moves(d) {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && names[id.Name] && id.Obj != nil && id.Obj == f.Scope.Lookup(id.Name) {
					changed = true
					delete(names, id.Name)
				}
				return true
			})
		}
	}
	for _, d := range f.Decls {
		if moves(d) {
			list = append(list, d)
		}
	}
	return list
}

// declaredBy returns the names of the function or of the variables that d declares.
func declaredBy(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
				for _, id := range v.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

func docOf(d ast.Decl) *ast.CommentGroup {
	if fn, ok := d.(*ast.FuncDecl); ok {
		return fn.Doc
	}
	return d.(*ast.GenDecl).Doc
}

var noImports = regexp.MustCompile(`(?m)^import \(\s*\)\n`)

// withoutUnused returns a formatted Go file without the imports that it does not use. In the given source, each import
// must be on a line of its own. name is as in splitTests.
func withoutUnused(source []byte, name func(path string) string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", source, 0)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{".": true, "_": true}
	for _, id := range f.Unresolved {
		used[id.Name] = true
	}
	lines := bytes.SplitAfter(source, []byte("\n"))
	for _, s := range f.Imports {
		local := ""
		if s.Name != nil {
			local = s.Name.Name
		} else if path, err := strconv.Unquote(s.Path.Value); err == nil {
			local = name(path)
		}
		if !used[local] {
			lines[fset.Position(s.Pos()).Line-1] = nil
		}
	}
	return format.Source(noImports.ReplaceAll(bytes.Join(lines, nil), nil))
}
