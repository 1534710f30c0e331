package tablegen

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/packages"

	"overcomplete/kernel/cellsyntax"
)

// IsGeneric reports whether a package exports functions or types with type parameters, or constraints.
func IsGeneric(pkg *types.Package) bool {
	scope := pkg.Scope()
	return slices.ContainsFunc(scope.Names(), func(name string) bool {
		return token.IsExported(name) && isOpen(scope.Lookup(name))
	})
}

// isOmitted reports whether a table cannot contain o.
func isOmitted(o types.Object) bool {
	f, ok := o.(*types.Func)
	return isOpen(o) || ok && instance(f.Signature())
}

// isOpen reports whether o has type parameters, or is a constraint.
func isOpen(o types.Object) bool { return hasParameters(o) || isConstraint(o) }

// isConstraint reports whether o is an interface type that can only be used as a constraint.
func isConstraint(o types.Object) bool {
	if _, ok := o.(*types.TypeName); !ok {
		return false
	}
	i, ok := o.Type().Underlying().(*types.Interface)
	return ok && !i.IsMethodSet()
}

// Revealed is the prefix of exported names for unexported declarations. A package may have such names for its generic
// declarations; see [Source]. The name for a variable is the name of a pointer to it.
const Revealed = "Overcomplete_"

// A sourcePart is a function or type with type parameters, together with its methods, or a constraint.
type sourcePart struct {
	name    string
	imports map[string]string // the names of the packages that it uses, by their paths
	uses    map[string]bool   // the other parts that it uses
	fault   string            // what it uses and cells cannot use, or ""
	needed  bool              // it is exported, or an exported part without fault needs it
}

// A sourceDecl is a declaration that belongs to a part.
type sourceDecl struct {
	part *sourcePart
	decl ast.Decl
	text string
}

// Source returns the source of a file with the generic declarations of a package: functions and types with type
// parameters, and constraints. The interpreter adds these declarations to the table of the package. They may use one
// another, exported names of the package, unexported names for which there are exported ones ([Revealed]), and packages
// that cells can import. bound(path) reports whether cells can import a package, and has(o) whether they can use o, a
// generic declaration of another package. The file omits declarations that use anything else, and declarations that use
// omitted ones. If exported declarations are omitted, err says why. names lists the names that the file declares.
// The package must have been loaded with its syntax trees, which Source changes.
func Source(p *packages.Package, bound func(path string) bool, has func(o types.Object) bool) (text string, names []string, err error) {
	parts, decls := sourceParts(p)
	owners := map[string]string{} // the paths of packages, by the names in the file
	for _, d := range decls {
		d.part.examine(p, d.decl, bound, has, owners)
	}
	for _, d := range decls {
		if d.text, err = qualified(p, d.decl); err != nil {
			d.part.fault = err.Error()
		}
	}
	for again := true; again; {
		spread(parts)
		needExported(parts)
		if text, err = joined(p, decls); err == nil {
			again, err = blame(p, text, parts)
		}
		if err != nil {
			return "", nil, err
		}
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if part := parts[name]; !part.needed {
			continue
		} else if fault := part.fault; fault != "" {
			errs = append(errs, fmt.Errorf("tables: %s: code with type parameters uses %s, which cells cannot use", p.PkgPath, fault))
		} else {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		text = ""
	}
	return text, names, errors.Join(errs...)
}

// sourceParts returns the parts of the package, by name, and their declarations, in the order of the source.
func sourceParts(p *packages.Package) (parts map[string]*sourcePart, decls []*sourceDecl) {
	parts = map[string]*sourcePart{}
	add := func(d ast.Decl) {
		name := partName(d)
		if parts[name] == nil {
			parts[name] = &sourcePart{name: name, imports: map[string]string{}, uses: map[string]bool{}}
		}
		decls = append(decls, &sourceDecl{part: parts[name], decl: d})
	}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				o, _ := p.TypesInfo.Defs[d.Name].(*types.Func)
				d.Doc = nil
				if o.Signature().RecvTypeParams().Len() > 0 || hasParameters(o) {
					add(d)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && isOpen(p.TypesInfo.Defs[s.Name]) {
						s.Doc, s.Comment = nil, nil
						add(&ast.GenDecl{Tok: token.TYPE, Specs: []ast.Spec{s}})
					}
				}
			}
		}
	}
	return parts, decls
}

// partName returns the name of the part to which a declaration belongs, or "" if it cannot belong to one.
func partName(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			return cellsyntax.ReceiverName(d.Recv.List[0].Type)
		}
		return d.Name.Name
	case *ast.GenDecl:
		if s, ok := d.Specs[0].(*ast.TypeSpec); ok {
			return s.Name.Name
		}
	}
	return ""
}

// examine records what d, a declaration of the part, uses.
func (part *sourcePart) examine(p *packages.Package, d ast.Decl, bound func(path string) bool, has func(o types.Object) bool, owners map[string]string) {
	// In the session, the file's types belong to the package. If a type's package is not the file's, Go does not
	// find the type's unexported methods.
	if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && !f.Name.IsExported() {
		part.fault = "the unexported method " + f.Name.Name
	}
	uses := func(path, name string) {
		if owners[name] == "" {
			owners[name] = path
		}
		if owners[name] != path || part.imports[path] != "" && part.imports[path] != name {
			part.fault = "two packages named " + name
		}
		part.imports[path] = name
	}
	ast.Inspect(d, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		o := p.TypesInfo.Uses[id]
		switch {
		case o == nil || o.Pkg() == nil:
		case o.Parent() == p.Types.Scope() && isOpen(o):
			part.uses[o.Name()] = true
		case o.Parent() == p.Types.Scope():
			uses(p.PkgPath, p.Name)
			if !o.Exported() && p.Types.Scope().Lookup(Revealed+o.Name()) == nil || isOmitted(o) {
				part.fault = o.Name()
			}
		case o.Parent() == o.Pkg().Scope(): // of another package
			if isOmitted(o) && !has(o) {
				part.fault = o.Pkg().Name() + "." + o.Name()
			}
		default:
			if q, ok := o.(*types.PkgName); ok {
				uses(q.Imported().Path(), q.Name())
				if !bound(q.Imported().Path()) {
					part.fault = q.Name()
				}
			}
		}
		return true
	})
}

// qualified returns the text of d, with the package's name in front of each name that the package declares and that is
// not generic.
func qualified(p *packages.Package, d ast.Decl) (string, error) {
	qualify := func(c *astutil.Cursor) bool {
		if f, ok := c.Node().(*ast.Field); ok {
			f.Doc, f.Comment = nil, nil
		}
		if id, ok := c.Node().(*ast.Ident); ok {
			if o := p.TypesInfo.Uses[id]; o != nil && o.Parent() == p.Types.Scope() && !isOpen(o) {
				c.Replace(qualifiedName(p.Name, o))
			}
		}
		return true
	}
	var b strings.Builder
	err := printer.Fprint(&b, p.Fset, astutil.Apply(d, qualify, nil))
	return b.String(), err
}

// qualifiedName returns an expression for o, a declaration of the package named pkg.
func qualifiedName(pkg string, o types.Object) ast.Expr {
	if o.Exported() {
		return &ast.SelectorExpr{X: ast.NewIdent(pkg), Sel: ast.NewIdent(o.Name())}
	}
	name := &ast.SelectorExpr{X: ast.NewIdent(pkg), Sel: ast.NewIdent(Revealed + o.Name())}
	if _, ok := o.(*types.Var); ok {
		return &ast.ParenExpr{X: &ast.StarExpr{X: name}}
	}
	return name
}

// spread marks each part that uses a faulty part as faulty.
func spread(parts map[string]*sourcePart) {
	for changed := true; changed; {
		changed = false
		for _, part := range parts {
			for name := range part.uses {
				if q := parts[name]; part.fault == "" && q != nil && q.fault != "" {
					part.fault, changed = q.fault, true
				}
			}
		}
	}
}

// needExported marks the parts that are needed.
func needExported(parts map[string]*sourcePart) {
	for _, part := range parts {
		part.needed = false
	}
	var need func(part *sourcePart)
	need = func(part *sourcePart) {
		if part == nil || part.needed {
			return
		}
		part.needed = true
		if part.fault == "" {
			for name := range part.uses {
				need(parts[name])
			}
		}
	}
	for _, part := range parts {
		if token.IsExported(part.name) {
			need(part)
		}
	}
}

// joined returns the file with the declarations of all parts that are needed and not faulty.
func joined(p *packages.Package, decls []*sourceDecl) (string, error) {
	imports := map[string]string{}
	var text strings.Builder
	for _, d := range decls {
		if d.part.needed && d.part.fault == "" {
			maps.Copy(imports, d.part.imports)
			text.WriteString("\n" + d.text + "\n")
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", p.Name)
	for _, at := range slices.Sorted(maps.Keys(imports)) {
		if name := imports[at]; name != path.Base(at) {
			fmt.Fprintf(&b, "\nimport %s %q", name, at)
		} else {
			fmt.Fprintf(&b, "\nimport %q", at)
		}
	}
	out, err := format.Source([]byte(b.String() + "\n" + text.String()))
	return string(out), err
}

// blame type-checks the file as a package of its own, like the interpreter. It marks as faulty the parts with errors,
// such as parts that use an unexported field. found reports whether there are any. If an error is in no part, blame
// returns it.
func blame(p *packages.Package, text string, parts map[string]*sourcePart) (found bool, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return false, err
	}
	var other error
	conf := types.Config{Importer: importedBy{p.Types}, Sizes: p.TypesSizes, Error: func(err error) {
		e := err.(types.Error)
		if e.Soft { // an import without use
			return
		}
		for _, d := range f.Decls {
			if part := parts[partName(d)]; part != nil && d.Pos() <= e.Pos && e.Pos <= d.End() {
				part.fault, found = e.Msg, true
				return
			}
		}
		other = fmt.Errorf("tables: %s: %s", p.PkgPath, e.Msg)
	}}
	conf.Check(p.PkgPath+"@patch", fset, []*ast.File{f}, nil) // its error is one of those that it reports
	if found {
		other = nil // it may come from the same fault
	}
	return found, other
}

// An importedBy is an importer for a package and the packages that it imports.
type importedBy struct{ pkg *types.Package }

func (i importedBy) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	for _, p := range append(i.pkg.Imports(), i.pkg) {
		if p.Path() == path {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s does not import %s", i.pkg.Path(), path)
}
