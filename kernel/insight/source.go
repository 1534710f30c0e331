package insight

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overcomplete/kernel/cellsyntax"
)

// Limits on how much source is shown for a declaration.
const (
	longestGroup  = 60     // lines of a const or var group that is shown as a whole
	longestSource = 20_000 // bytes
)

// files returns the names of a package's Go files. The list is empty if this machine does not have the
// package's source.
func (in *Insight) files(path string) (list []string) {
	if p := in.lib.find(path); p != nil {
		for _, name := range p.Files {
			list = append(list, filepath.Join(p.Dir, name))
		}
		return list
	}
	dir := in.available.CompiledDir(path)
	if dir == "" {
		return nil
	}
	pkg, err := build.ImportDir(dir, 0)
	if err != nil && pkg == nil {
		return nil
	}
	for _, name := range slices.Concat(pkg.GoFiles, pkg.CgoFiles) {
		list = append(list, filepath.Join(dir, name))
	}
	return list
}

// sourceOf returns the source of a package's symbol, and the file and line where it begins. The symbol's
// comment is left out, because it is shown separately. text is "" if this machine does not have the source.
func (in *Insight) sourceOf(path, symbol string) (text, file string, line int) {
	_, member, isMember := strings.Cut(symbol, ".")
	if !isMember {
		member = symbol
	}
	for _, name := range in.files(path) {
		data, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(data), member) {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			begin, end, head := within(fset, d, symbol)
			if !begin.IsValid() {
				continue
			}
			from, to := fset.Position(begin), fset.Position(end)
			text := head + string(data[from.Offset:to.Offset])
			if len(text) > longestSource {
				cut := strings.LastIndexByte(text[:longestSource], '\n')
				text = fmt.Sprintf("%s\n// and %d more lines", text[:cut], strings.Count(text[cut+1:], "\n")+1)
			}
			return text, name, from.Line
		}
	}
	return "", "", 0
}

// within returns the start and end of the part of d that declares symbol. If this part is a type in a group, head is
// the keyword "type " that must be put before this part; otherwise head is "". The positions are invalid if d does not
// declare symbol.
func within(fset *token.FileSet, d ast.Decl, symbol string) (start, end token.Pos, head string) {
	top, member, _ := strings.Cut(symbol, ".")
	switch d := d.(type) {
	case *ast.FuncDecl:
		if cellsyntax.Declared(d)[0] == symbol {
			return d.Pos(), d.End(), ""
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.Name != top {
					continue
				}
				if _, ok := memberComment(spec.Type, member); member != "" && !ok {
					continue // methods are declared elsewhere
				}
				if !d.Lparen.IsValid() {
					return d.Pos(), d.End(), ""
				}
				return spec.Pos(), spec.End(), "type "
			case *ast.ValueSpec:
				if !slices.ContainsFunc(spec.Names, func(id *ast.Ident) bool { return id.Name == symbol }) {
					continue
				}
				if !d.Lparen.IsValid() || fset.Position(d.End()).Line-fset.Position(d.Pos()).Line < longestGroup {
					return d.Pos(), d.End(), ""
				}
				return spec.Pos(), spec.End(), ""
			}
		}
	}
	return token.NoPos, token.NoPos, ""
}
