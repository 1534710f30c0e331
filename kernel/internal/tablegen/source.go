package tablegen

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/printer"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/packages"
)

// IsGeneric reports whether a package exports functions or types with type parameters.
func IsGeneric(pkg *types.Package) bool {
	scope := pkg.Scope()
	return slices.ContainsFunc(scope.Names(), func(name string) bool {
		return token.IsExported(name) && hasParameters(scope.Lookup(name))
	})
}

// Source returns the source of a file with the generic declarations of a package. The interpreter adds these
// declarations to the table of the package. They may use one another, exported names of the package, and packages that
// cells can import. bound(path) reports whether cells can import a package. If the declarations use anything else,
// Source returns an error. The package must have been loaded with its syntax trees, which Source changes.
func Source(p *packages.Package, bound func(path string) bool) (string, error) {
	var errs []error
	wrong := func(o types.Object) {
		errs = append(errs, fmt.Errorf("tables: %s: code with type parameters uses %s, which cells cannot use", p.PkgPath, o.Name()))
	}
	imports := map[string]string{}
	qualify := func(c *astutil.Cursor) bool {
		if f, ok := c.Node().(*ast.Field); ok {
			f.Doc, f.Comment = nil, nil
		}
		id, ok := c.Node().(*ast.Ident)
		if !ok {
			return true
		}
		switch o := p.TypesInfo.Uses[id].(type) {
		case nil:
		case *types.PkgName:
			imports[o.Imported().Path()] = o.Name()
			if !bound(o.Imported().Path()) {
				wrong(o)
			}
		default:
			if o.Parent() != p.Types.Scope() || hasParameters(o) {
				break
			}
			imports[p.PkgPath] = p.Name
			if !o.Exported() {
				wrong(o)
			}
			c.Replace(&ast.SelectorExpr{X: ast.NewIdent(p.Name), Sel: ast.NewIdent(o.Name())})
		}
		return true
	}
	var decls bytes.Buffer
	add := func(d ast.Decl) {
		fmt.Fprint(&decls, "\n")
		errs = append(errs, printer.Fprint(&decls, p.Fset, astutil.Apply(d, qualify, nil)))
		fmt.Fprint(&decls, "\n")
	}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				o, _ := p.TypesInfo.Defs[d.Name].(*types.Func)
				if r := o.Signature().Recv(); hasParameters(o) || r != nil && o.Signature().RecvTypeParams().Len() > 0 {
					d.Doc = nil
					add(d)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && hasParameters(p.TypesInfo.Defs[s.Name]) {
						s.Doc, s.Comment = nil, nil
						add(&ast.GenDecl{Tok: token.TYPE, Specs: []ast.Spec{s}})
					}
				}
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", p.Name)
	for _, at := range sortedKeys(imports) {
		if name := imports[at]; name != path.Base(at) {
			fmt.Fprintf(&b, "\nimport %s %q", name, at)
		} else {
			fmt.Fprintf(&b, "\nimport %q", at)
		}
	}
	text, err := format.Source([]byte(b.String() + "\n" + decls.String()))
	return string(text), errors.Join(append(errs, err)...)
}
