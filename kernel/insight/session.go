package insight

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/engine"
)

// sessionNames holds the names that the session declares, in the form from which a program (the syntax tree of session
// and cell together) is made.
type sessionNames struct {
	imports     map[string]string // import paths by name
	dots        []string
	typeImports map[string]string // paths of the packages in variables' types, by name
	decls       []namedDecl       // variables first, then declarations, newest first
	places      map[string][]int  // indices in decls, by name; a method is listed under its type
	declares    map[string]bool
	kinds       map[string]string // kinds of the declared names
	hidden      *types.Package
	lib         *library
	names       *engine.Names
}

type namedDecl struct {
	name string
	node ast.Decl
	refs []string // names that the declaration mentions
}

// reach returns the declarations that the cell needs, directly or indirectly, in the order of decls. In a large
// notebook, checking all declarations would take too long.
func (k *sessionNames) reach(parts []*cellPart) (list []namedDecl) {
	need := make([]bool, len(k.decls))
	seen := map[string]bool{}
	var follow func(name string)
	follow = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, i := range k.places[name] {
			need[i] = true
			for _, ref := range k.decls[i].refs {
				follow(ref)
			}
		}
	}
	for _, part := range parts {
		for _, name := range mentioned(part.file) {
			follow(name)
		}
	}
	for i, d := range k.decls {
		if need[i] {
			list = append(list, d)
		}
	}
	return list
}

// mentioned returns the identifiers in n, without duplicates.
func mentioned(n ast.Node) (names []string) {
	seen := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !seen[id.Name] {
			seen[id.Name] = true
			names = append(names, id.Name)
		}
		return true
	})
	return names
}

// sessionDecl is a parsed declaration of the session.
type sessionDecl struct {
	decls []ast.Decl
	refs  [][]string // for each declaration, the names that it mentions
	file  *token.File
}

// add appends a declaration.
func (k *sessionNames) add(name string, d ast.Decl, refs []string) {
	kind := kindFunction
	if g, ok := d.(*ast.GenDecl); ok {
		kind = map[token.Token]string{token.VAR: kindVariable, token.CONST: kindConstant, token.TYPE: kindType}[g.Tok]
	}
	for _, n := range cellsyntax.Declared(d) {
		top, _, _ := strings.Cut(n, ".")
		k.places[top] = append(k.places[top], len(k.decls))
		if !k.declares[n] {
			k.declares[n], k.kinds[n] = true, kind
		}
	}
	k.decls = append(k.decls, namedDecl{name, d, refs})
}

// current returns the session's current names. It parses each declaration once, and keeps the result while the
// session has the declaration.
func (in *Insight) current() *sessionNames {
	names := &engine.Names{}
	if in.session != nil {
		names = in.session.Names()
	}
	same := in.refresh()
	if in.known != nil && in.names == names && same {
		return in.known
	}
	k := &sessionNames{
		imports: names.Imports, dots: names.Dots, typeImports: map[string]string{},
		places: map[string][]int{}, declares: map[string]bool{}, kinds: map[string]string{},
		hidden: types.NewPackage(hiddenPath, hiddenName), names: names, lib: in.lib,
	}
	for _, v := range names.Variables {
		spec := &ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent(v.Name)}, Type: in.typeExpr(k, v)}
		k.add(v.Name, &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{spec}}, mentioned(spec.Type))
	}
	parsed := map[string]*sessionDecl{}
	for i := len(names.Decls) - 1; i >= 0; i-- {
		d := names.Decls[i]
		s := in.parsed[d.Source]
		if s == nil {
			s = &sessionDecl{}
			if f, err := parser.ParseFile(in.fset, "", "package main;"+d.Source, parser.SkipObjectResolution); err == nil {
				s.file = in.fset.File(f.FileStart)
				for _, decl := range f.Decls {
					if fn, ok := decl.(*ast.FuncDecl); ok {
						fn.Body = nil
					}
					s.decls = append(s.decls, decl)
					s.refs = append(s.refs, mentioned(decl))
				}
			}
		}
		parsed[d.Source] = s
		for i, decl := range s.decls {
			k.add(d.Names[0], decl, s.refs[i])
		}
	}
	for source, s := range in.parsed {
		if parsed[source] == nil && s.file != nil {
			in.fset.RemoveFile(s.file)
		}
	}
	k.hidden.MarkComplete()
	in.parsed, in.names, in.known = parsed, names, k
	return k
}

// typeExpr returns the syntax of a variable's type. The names of packages in the type are replaced by names such as
// import__0, under which the program imports these packages. Unexported types are replaced by types of the package
// hidden__, which exists only for the type check.
func (in *Insight) typeExpr(k *sessionNames, v engine.NamedVariable) ast.Expr {
	unknown := ast.NewIdent("unknown__")
	e, err := parser.ParseExpr(v.Type)
	if err != nil {
		return unknown
	}
	whole := true
	ast.Inspect(e, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok {
			whole = false
			return false
		}
		path := v.Packages[id.Name]
		pkg := in.lib.types(path)
		var obj types.Object
		if pkg != nil {
			obj = pkg.Scope().Lookup(sel.Sel.Name)
		}
		if obj == nil {
			whole = false
			return false
		}
		if obj.Exported() {
			id.Name = fmt.Sprintf("import__%d", pathNumber(k, path))
			return false
		}
		id.Name = hiddenName
		sel.Sel.Name = fmt.Sprintf("T%d_%s", pathNumber(k, path), sel.Sel.Name)
		k.hidden.Scope().Insert(types.NewTypeName(token.NoPos, k.hidden, sel.Sel.Name, obj.Type()))
		return false
	})
	if !whole {
		return unknown
	}
	return e
}

// pathNumber returns the number n of a package that occurs in variables' types. The program imports the package as
// import__n.
func pathNumber(k *sessionNames, path string) int {
	for n := 0; ; n++ {
		name := fmt.Sprintf("import__%d", n)
		switch k.typeImports[name] {
		case path:
			return n
		case "":
			k.typeImports[name] = path
			return n
		}
	}
}

// Import imports a package for the type check of a program. It also imports the package hidden__; see typeExpr.
func (k *sessionNames) Import(path string) (*types.Package, error) {
	if path == hiddenPath {
		return k.hidden, nil
	}
	return k.lib.importPath(path)
}
