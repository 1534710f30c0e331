package goprogram

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// splitTests moves the functions of the notebook's %%test cells from a program into a file of tests. If there are no
// such functions, tests is nil. A function that uses variables of the cells becomes a comment: the cells set the
// variables only when the program runs. The file of tests begins with the first line of the given title. name(path)
// must return the name of the package with the given path.
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
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			moved.Write(source[offset(g.Pos()):offset(g.End())])
			moved.WriteByte('\n')
		}
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !names[fn.Name.Name] {
			continue
		}
		from, to := offset(fn.Pos()), offset(fn.End())
		if fn.Doc != nil {
			from = offset(fn.Doc.Pos())
		}
		rest.Write(source[at:from])
		at = to
		text := string(source[from:to])
		if used := variablesIn(fn, func(id *ast.Ident) bool {
			return id.Obj != nil && id.Obj.Kind == ast.Var && id.Obj == f.Scope.Lookup(id.Name)
		}); len(used) > 0 {
			text = fmt.Sprintf("// %s needs %s, which cells of the notebook set:\n//\n//\t%s", fn.Name.Name, strings.Join(used, ", "), strings.ReplaceAll(text, "\n", "\n//\t"))
		}
		moved.WriteString("\n" + text + "\n")
	}
	rest.Write(source[at:])
	if program, err = withoutUnused(rest.Bytes(), name); err == nil {
		tests, err = withoutUnused(moved.Bytes(), name)
	}
	return program, tests, err
}

// variablesIn returns the package variables that a function uses.
func variablesIn(fn *ast.FuncDecl, isPackageVariable func(id *ast.Ident) bool) (used []string) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && isPackageVariable(id) && !slices.Contains(used, id.Name) {
			used = append(used, id.Name)
		}
		return true
	})
	return used
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
