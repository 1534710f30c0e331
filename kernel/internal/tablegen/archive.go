package tablegen

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"

	"overcomplete/kernel/internal/apidoc"
)

// WriteZip returns a zip archive of the members, a map from file names to contents. The members are sorted by name and
// have no times. compressor implements the given method; it may be nil if package zip knows the method. The caller
// passes the compressor because the kernel for browsers contains WriteZip, but must not contain brotli's compressor.
func WriteZip(members map[string][]byte, method uint16, compressor zip.Compressor) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if compressor != nil {
		z.RegisterCompressor(method, compressor)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
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

// ReadZip reads the zip archive in the file with the given name. It returns the contents of the archive's members by
// name.
func ReadZip(name string) (map[string][]byte, error) {
	archive, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	z, err := apidoc.NewReader(archive)
	if err != nil {
		return nil, err
	}
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

// Describe returns the files of an archive that describes packages (see package apidoc), by name. The archive has the
// types of the packages and their doc comments. It also has the lists in missing: for each import path, the exported
// names that cells cannot use. The packages must have been loaded with types and file names.
func Describe(pkgs []*packages.Package, missing map[string][]string) (map[string][]byte, error) {
	members := map[string][]byte{}
	docs := map[string]map[string]string{}
	index := map[string]apidoc.Package{}
	var typed []*types.Package
	for _, p := range pkgs {
		// Package builtin declares predeclared names, so it does not type-check without errors.
		if len(p.Errors) > 0 && p.PkgPath != apidoc.Builtin {
			return nil, fmt.Errorf("tables: %s: %v", p.PkgPath, p.Errors[0])
		}
		comments, err := docComments(p)
		if err != nil {
			return nil, err
		}
		docs[p.PkgPath] = comments
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
	for name, list := range map[string]any{apidoc.IndexFile: index, apidoc.DocsFile: docs} {
		text, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		members[name] = text
	}
	slices.SortFunc(typed, func(a, b *types.Package) int { return strings.Compare(a.Path(), b.Path()) })
	var b bytes.Buffer
	// An empty file set omits positions, which differ from machine to machine.
	if err := gcexportdata.WriteBundle(&b, token.NewFileSet(), typed); err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	members[apidoc.TypesFile] = b.Bytes()
	return members, nil
}

// docComments returns a package's doc comments by symbol; see package apidoc.
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
	comments, err := apidoc.Comments(p.PkgPath, fset, files)
	if err != nil {
		return nil, fmt.Errorf("tables: %s: %w", p.PkgPath, err)
	}
	return comments, nil
}
