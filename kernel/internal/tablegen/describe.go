package tablegen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"

	"overcomplete/kernel/internal/apidoc"
)

// longestDoc bounds how many bytes of one doc comment are kept.
const longestDoc = 8000

// Describe returns the members of an archive that describes packages, see package apidoc: their types,
// doc comments and the exported names, by path, that cells cannot use. They must have been loaded with
// their types and the names of their files.
func Describe(pkgs []*packages.Package, missing map[string][]string) (map[string][]byte, error) {
	members := map[string][]byte{}
	index := map[string]apidoc.Package{}
	var typed []*types.Package
	for _, p := range pkgs {
		// Package builtin declares what Go already has, so it does not
		// type-check.
		if len(p.Errors) > 0 && p.PkgPath != apidoc.Builtin {
			return nil, fmt.Errorf("tables: %s: %v", p.PkgPath, p.Errors[0])
		}
		comments, err := docComments(p)
		if err != nil {
			return nil, err
		}
		if members[apidoc.DocFolder+p.PkgPath], err = json.Marshal(comments); err != nil {
			return nil, err
		}
		if p.PkgPath == apidoc.Builtin {
			continue
		}
		index[p.PkgPath] = apidoc.Package{
			Name: p.Name, Synopsis: new(doc.Package).Synopsis(comments[""]), Missing: missing[p.PkgPath],
		}
		if p.PkgPath != "unsafe" {
			typed = append(typed, p.Types)
		}
	}
	text, err := json.Marshal(index)
	if err != nil {
		return nil, err
	}
	members[apidoc.IndexFile] = text
	slices.SortFunc(typed, func(a, b *types.Package) int { return strings.Compare(a.Path(), b.Path()) })
	var b bytes.Buffer
	// An empty file set leaves positions out: they differ from machine to machine.
	if err := gcexportdata.WriteBundle(&b, token.NewFileSet(), typed); err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	members[apidoc.TypesFile] = b.Bytes()
	return members, nil
}

// docComments returns a package's doc comments by symbol, see package apidoc.
func docComments(p *packages.Package) (map[string]string, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("tables: %w", err)
		}
		files = append(files, f)
	}
	mode := doc.Mode(0)
	if p.PkgPath == apidoc.Builtin {
		mode = doc.AllDecls // its names are not exported
	}
	d, err := doc.NewFromFiles(fset, files, p.PkgPath, mode)
	if err != nil {
		return nil, fmt.Errorf("tables: %s: %w", p.PkgPath, err)
	}
	out := map[string]string{}
	put := func(symbol, text string) {
		if text = shortDoc(text); text != "" {
			out[symbol] = text
		}
	}
	funcs := func(list []*doc.Func, prefix string) {
		for _, f := range list {
			put(prefix+f.Name, f.Doc)
		}
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, spec := range v.Decl.Specs {
				spec := spec.(*ast.ValueSpec)
				text := commentOf(spec.Doc, spec.Comment)
				if text == "" || v.Doc != "" && !v.Decl.Lparen.IsValid() {
					text = v.Doc // of the group, or of the one
				}
				for _, id := range spec.Names {
					put(id.Name, text)
				}
			}
		}
	}
	put("", d.Doc)
	funcs(d.Funcs, "")
	values(d.Consts)
	values(d.Vars)
	for _, t := range d.Types {
		put(t.Name, t.Doc)
		funcs(t.Funcs, "")
		funcs(t.Methods, t.Name+".")
		values(t.Consts)
		values(t.Vars)
		for _, spec := range t.Decl.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok && spec.Name.Name == t.Name {
				for name, text := range fieldComments(spec.Type) {
					put(t.Name+"."+name, text)
				}
			}
		}
	}
	return out, nil
}

// fieldComments returns the comments of the fields of a struct, or of the methods of
// an interface.
func fieldComments(t ast.Expr) map[string]string {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return nil
	}
	out := map[string]string{}
	for _, f := range list.List {
		for _, id := range f.Names {
			out[id.Name] = commentOf(f.Doc, f.Comment)
		}
	}
	return out
}

// commentOf returns the comment above, or else the one at the end of the line.
func commentOf(above, behind *ast.CommentGroup) string {
	if text := above.Text(); text != "" {
		return text
	}
	return behind.Text()
}

// shortDoc cuts a very long comment after a paragraph.
func shortDoc(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= longestDoc {
		return text
	}
	cut := strings.LastIndex(text[:longestDoc], "\n\n")
	if cut < 0 {
		cut = strings.LastIndexByte(text[:longestDoc], '\n')
	}
	return text[:max(cut, 0)] + "\n\n(and more)"
}
