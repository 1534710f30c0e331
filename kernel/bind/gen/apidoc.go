package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"

	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/toolchain"
)

// longestDoc bounds how many bytes of one doc comment are kept.
const longestDoc = 8000

// describe returns the members of the archives by folder: what completion and inspection
// know of the packages that cells import. missing maps the path of a package to the
// exported names that cells cannot use.
func describe(root string, missing map[string][]string) (map[string]map[string][]byte, error) {
	ownPaths, err := discover(root)
	if err != nil {
		return nil, err
	}
	pkgs, err := packages.Load(&packages.Config{
		Dir:  root,
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedFiles,
	}, slices.Concat(standardOf(toolchain.Current()), viaInterpreter, thirdParty, ownPaths, []string{"unsafe", apidoc.Builtin})...)
	if err != nil {
		return nil, fmt.Errorf("gen: %w", err)
	}
	of := map[string][]*packages.Package{}
	for _, p := range pkgs {
		folder := kernelHome.archives
		if slices.Contains(ownPaths, p.PkgPath) {
			folder = commandHome.archives
		}
		of[folder] = append(of[folder], p)
	}
	archives := map[string]map[string][]byte{}
	for folder, pkgs := range of {
		if archives[folder], err = archive(pkgs, missing); err != nil {
			return nil, err
		}
	}
	return archives, nil
}

// archive returns the members that describe the given packages.
func archive(pkgs []*packages.Package, missing map[string][]string) (map[string][]byte, error) {
	members := map[string][]byte{}
	index := map[string]apidoc.Package{}
	var typed []*types.Package
	for _, p := range pkgs {
		// Package builtin declares what Go already has, so it does not
		// type-check.
		if len(p.Errors) > 0 && p.PkgPath != apidoc.Builtin {
			return nil, fmt.Errorf("gen: %s: %v", p.PkgPath, p.Errors[0])
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
		return nil, fmt.Errorf("gen: %w", err)
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
			return nil, fmt.Errorf("gen: %w", err)
		}
		files = append(files, f)
	}
	mode := doc.Mode(0)
	if p.PkgPath == apidoc.Builtin {
		mode = doc.AllDecls // its names are not exported
	}
	d, err := doc.NewFromFiles(fset, files, p.PkgPath, mode)
	if err != nil {
		return nil, fmt.Errorf("gen: %s: %w", p.PkgPath, err)
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

// provided returns the functions that kernel/bind's patches add to a package.
func provided(root, path string) (map[string]bool, error) {
	names := map[string]bool{}
	file := filepath.Join(root, "kernel", "bind", "patch", strings.ReplaceAll(path, "/", "_")+".go.txt")
	src, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return names, nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			names[fn.Name.Name] = true
		}
	}
	return names, nil
}

// description returns the archive members by folder, given the files with the names
// that they leave out.
func description(root string, files []file) (map[string]map[string][]byte, error) {
	missing := map[string][]string{}
	for _, f := range files {
		have, err := provided(root, f.path)
		if err != nil {
			return nil, err
		}
		for _, name := range f.skipped {
			if !have[name] {
				missing[f.path] = append(missing[f.path], name)
			}
		}
	}
	return describe(root, missing)
}

// writeZip packs members, sorted by name and without times.
func writeZip(members map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	var names []string
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(members[name]); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func readZip(name string) (map[string][]byte, error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	members := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return nil, err
		}
		members[f.Name] = data
	}
	return members, nil
}
