package reach

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// A folder is the source of a package.
type folder struct {
	path      string // import path
	dir       string // slash, from the module's root
	files     []*file
	assembler []*assembly

	parsed  bool
	err     error
	name    string                    // name in the package clause
	scope   map[string][]*declaration // package-level names; several if build tags choose
	methods map[string][]*declaration // by the name of the receiver's type
	initial []*declaration            // init functions and blank variables, which run whenever the package is imported
}

// A file is one Go file.
type file struct {
	folder     *folder
	name       string // slash, from the module's root
	src        []byte
	constraint string // //go:build
	imports    []imported
	at         *token.File
}

func (f *file) offset(p token.Pos) int { return f.at.Offset(p) }

type imported struct {
	path string
	name string // "" for the package's own name
}

// A declaration is one package-level name, or a method.
type declaration struct {
	*piece
	name string // "table2", "Lab.Table2", "init", "_"
}

// A piece is the unit that is hashed: a function, one specification of a type, variable or
// constant, or the whole of a const group that counts with iota.
type piece struct {
	file       *file
	node       ast.Node // *ast.FuncDecl, *ast.TypeSpec, *ast.ValueSpec, *ast.GenDecl
	keyword    token.Token
	receiver   string // of a method: the name of its type
	directives []string
	all        *mentions // computed on demand
	sum        string    // computed on demand
}

// isType returns the type's specification if the piece is one, otherwise nil.
func (p *piece) isType() *ast.TypeSpec {
	spec, _ := p.node.(*ast.TypeSpec)
	return spec
}

// open returns the parsed package with an import path of this module.
func (c *Code) open(importPath string) (*folder, error) {
	fo, ok := c.folders[importPath]
	if !ok {
		return nil, fmt.Errorf("reach: no Go files for %s", importPath)
	}
	if !fo.parsed {
		fo.parsed = true
		fo.err = fo.parse()
	}
	return fo, fo.err
}

func (fo *folder) parse() error {
	fo.scope, fo.methods = map[string][]*declaration{}, map[string][]*declaration{}
	trees := make([]*ast.File, len(fo.files))
	for i, f := range fo.files {
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, f.name, f.src, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("reach: %w", err)
		}
		f.at = set.File(tree.FileStart)
		f.constraint = constraint(f.src[:f.offset(tree.Package)])
		trees[i] = tree
		if name := tree.Name.Name; name != "documentation" && (f.constraint != "ignore" || fo.name == "") {
			fo.name = name
		}
	}
	for i, f := range fo.files {
		tree := trees[i]
		// A program in the package's folder (a generator) is not part of the package.
		if f.constraint == "ignore" && tree.Name.Name != fo.name || tree.Name.Name == "documentation" {
			continue
		}
		for _, s := range tree.Imports {
			im := imported{}
			var err error
			if im.path, err = strconv.Unquote(s.Path.Value); err != nil {
				return fmt.Errorf("reach: %s imports %s", f.name, s.Path.Value)
			}
			if im.path == "C" {
				return fmt.Errorf("reach: %s imports C, which is not Go source", f.name)
			}
			if s.Name != nil {
				im.name = s.Name.Name
			}
			f.imports = append(f.imports, im)
		}
		fo.declare(f, tree)
	}
	return nil
}

// declare adds all declarations of a file. The directives of a declaration are between the end of
// the previous one and its own end.
func (fo *folder) declare(f *file, tree *ast.File) {
	end := f.offset(tree.Name.End())
	add := func(node ast.Node, keyword token.Token, names ...string) *piece {
		p := &piece{file: f, node: node, keyword: keyword}
		to := f.offset(node.End())
		p.directives = directives(f.src, min(end, to), to)
		end = to
		for _, name := range names {
			d := &declaration{p, name}
			if name == "_" || name == "init" && keyword == token.FUNC {
				if keyword == token.VAR || keyword == token.FUNC && name == "init" {
					fo.initial = append(fo.initial, d)
				}
				continue
			}
			fo.scope[name] = append(fo.scope[name], d)
		}
		return p
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d, token.FUNC, d.Name.Name)
				continue
			}
			p := add(d, token.FUNC)
			if len(d.Recv.List) > 0 {
				p.receiver = typeName(d.Recv.List[0].Type)
			}
			fo.methods[p.receiver] = append(fo.methods[p.receiver], &declaration{p, p.receiver + "." + d.Name.Name})
		case *ast.GenDecl:
			if d.Tok == token.CONST && counted(d) {
				var names []string
				for _, s := range d.Specs {
					names = append(names, specNames(s)...)
				}
				add(d, d.Tok, names...)
				continue
			}
			for _, s := range d.Specs {
				if d.Tok != token.IMPORT {
					add(s, d.Tok, specNames(s)...)
				}
			}
			end = f.offset(d.End())
		}
	}
}

// counted reports whether the constants of a group depend on their position in it.
func counted(d *ast.GenDecl) bool {
	found := false
	for _, s := range d.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		found = found || len(v.Values) == 0
		for _, x := range v.Values {
			ast.Inspect(x, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				found = found || ok && id.Name == "iota"
				return !found
			})
		}
	}
	return found
}

func specNames(s ast.Spec) []string {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return []string{s.Name.Name}
	case *ast.ValueSpec:
		names := make([]string, len(s.Names))
		for i, id := range s.Names {
			names[i] = id.Name
		}
		return names
	}
	return nil
}

// typeName returns the name in *T, T[A, B] and (T), or "".
func typeName(x ast.Expr) string {
	if id, _ := typeIdent(x); id != nil {
		return id.Name
	}
	return ""
}

// typeIdent returns the identifier in *T, T[A, B] and (T), or nil, and the arguments A, B.
func typeIdent(x ast.Expr) (*ast.Ident, []ast.Expr) {
	switch x := x.(type) {
	case *ast.Ident:
		return x, nil
	case *ast.StarExpr:
		return typeIdent(x.X)
	case *ast.ParenExpr:
		return typeIdent(x.X)
	case *ast.IndexExpr:
		id, _ := typeIdent(x.X)
		return id, []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		id, _ := typeIdent(x.X)
		return id, x.Indices
	}
	return nil, nil
}

// isLab reports whether a type is the Lab of a paper. Its methods are experiments that do not
// belong to each other.
func (c *Code) isLab(fo *folder, name string) bool {
	return name == "Lab" && path.Dir(fo.path) == c.mod.module+"/paper"
}

// guess returns the likely name of a package outside the module.
func guess(importPath string) string {
	base := path.Base(importPath)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(importPath))
	}
	base, _, _ = strings.Cut(base, ".")
	return base
}
