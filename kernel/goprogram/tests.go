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

// splitTests moves the functions of the notebook's %%test cells from a program into a file of tests. If there are no
// such functions, tests is nil. A function that other code of the program uses stays in the program. A function that
// uses variables of the cells becomes a comment, because the cells set the variables only when the program runs, and so
// does a function that needs such a function. The file of tests begins with the first line of the given title.
// name(path) must return the name of the package with the given path.
func splitTests(source []byte, cells []*cell, title string, name func(path string) string) (program, tests []byte, err error) {
	names := map[string]bool{}
	for _, c := range cells {
		for _, p := range c.parts {
			if fn, ok := p.decl.(*ast.FuncDecl); ok && p.test && fn.Recv == nil {
				names[fn.Name.Name] = true
			}
		}
	}
	if len(names) == 0 {
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
	list := testFunctions(f, names)
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			moved.Write(source[offset(g.Pos()):offset(g.End())])
			moved.WriteByte('\n')
		}
		i := slices.IndexFunc(list, func(t testFunction) bool { return t.FuncDecl == d })
		if i < 0 {
			continue
		}
		fn := list[i]
		from, to := offset(fn.Pos()), offset(fn.End())
		if fn.Doc != nil {
			from = offset(fn.Doc.Pos())
		}
		rest.Write(source[at:from])
		at = to
		text := string(source[from:to])
		if len(fn.variables) > 0 {
			text = fmt.Sprintf("// %s needs %s, which cells of the notebook set:\n//\n//\t%s", fn.Name.Name, strings.Join(fn.variables, ", "), strings.ReplaceAll(text, "\n", "\n//\t"))
		}
		moved.WriteString("\n" + text + "\n")
	}
	rest.Write(source[at:])
	if program, err = withoutUnused(rest.Bytes(), name); err == nil {
		tests, err = withoutUnused(moved.Bytes(), name)
	}
	return program, tests, err
}

// A testFunction is a function that moves to the file of tests.
type testFunction struct {
	*ast.FuncDecl
	// variables are the package variables that the function uses, itself or through other test functions.
	variables []string
}

// testFunctions returns the functions of f that move to the file of tests: those with the given names that no other
// code uses.
func testFunctions(f *ast.File, names map[string]bool) (list []testFunction) {
	uses := func(d ast.Decl, kind ast.ObjKind) (used []string) {
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Obj != nil && id.Obj.Kind == kind && id.Obj == f.Scope.Lookup(id.Name) && !slices.Contains(used, id.Name) {
				used = append(used, id.Name)
			}
			return true
		})
		return used
	}
	moves := func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv == nil && names[fn.Name.Name]
	}
	names = maps.Clone(names)
	for found := true; found; {
		found = false
		for _, d := range f.Decls {
			if moves(d) {
				continue
			}
			for _, used := range uses(d, ast.Fun) {
				found = found || names[used]
				delete(names, used)
			}
		}
	}
	for _, d := range f.Decls {
		if moves(d) {
			list = append(list, testFunction{d.(*ast.FuncDecl), uses(d, ast.Var)})
		}
	}
	for found := true; found; {
		found = false
		for i := range list {
			for _, used := range uses(list[i].FuncDecl, ast.Fun) {
				for _, other := range list {
					if other.Name.Name != used {
						continue
					}
					for _, v := range other.variables {
						if !slices.Contains(list[i].variables, v) {
							list[i].variables, found = append(list[i].variables, v), true
						}
					}
				}
			}
		}
	}
	return list
}

var noImports = regexp.MustCompile(`(?m)^import \(\s*\)\n`)

// withoutUnused returns a formatted Go file without the imports that it does not use. In the given source, each import
// must be on a line of its own.
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
