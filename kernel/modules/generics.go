package modules

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"overcomplete/kernel/bind"
	"overcomplete/kernel/internal/tablegen"
)

// Compiled packages have no generic functions and types, only the instances that the program uses. So the table of a
// package has the source of these declarations, which the interpreter runs (tablegen.Source). This source is outside
// the package, and cannot use the package's unexported names. So the package gets exported names for them (reveal).

// genericSources returns, for each package with generic declarations, options that contain these declarations. The keys
// are the packages' paths. The declarations that cells cannot use are missing; see [tablegen.Source]. has(path) reports
// whether cells can import a package. Packages that are in the map called again get no options. In the list called all,
// each package comes after its dependencies.
func (b *buildPlan) genericSources(ctx context.Context, all []*goPackage, loaded []*packages.Package, again map[string]*tablePlace, has func(path string) bool) (map[string]tablegen.Options, error) {
	var paths []string
	for _, p := range loaded {
		if again[p.PkgPath] == nil && tablegen.IsGeneric(p.Types) {
			paths = append(paths, p.PkgPath)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	full, err := b.load(ctx, packages.NeedSyntax|packages.NeedTypesInfo|packages.NeedTypesSizes|packages.NeedCompiledGoFiles, paths)
	if err != nil {
		return nil, err
	}
	byPath := map[string]*packages.Package{}
	for _, p := range full {
		byPath[p.PkgPath] = p
	}
	options := map[string]tablegen.Options{}
	usable := func(o types.Object) bool {
		path := o.Pkg().Path()
		if opt, ok := options[path]; ok {
			return slices.Contains(opt.Sourced, o.Name())
		}
		table := bind.Lookup(path)
		return bound(path) != "" && (table == nil || !slices.Contains(table.Generic, o.Name())) // without a table, the package runs from source
	}
	for _, listed := range all {
		if p := byPath[listed.ImportPath]; p != nil {
			var opt tablegen.Options
			opt.Source, opt.Sourced, _ = tablegen.Source(p, has, usable) // what is missing is listed in the table
			options[p.PkgPath] = opt
		}
	}
	return options, nil
}

// reveal returns declarations of exported names for the unexported functions, types, variables and constants that the
// generic declarations of a package may use. files holds the package's files. reveal returns "" if there are no such
// declarations. The new name of a variable denotes a pointer to the variable.
func reveal(files []*ast.File) string {
	kinds := map[string]string{} // keywords of the package's unexported declarations that are not generic, by name
	var generic []ast.Node
	note := func(name *ast.Ident, keyword string) {
		if !name.IsExported() && name.Name != "_" && name.Name != "init" {
			kinds[name.Name] = keyword
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch {
				case d.Type.TypeParams != nil || d.Recv != nil && isInstance(d.Recv.List[0].Type):
					generic = append(generic, d)
				case d.Recv == nil:
					note(d.Name, "func")
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						if spec.TypeParams != nil || isConstraint(spec.Type) {
							generic = append(generic, spec)
						} else {
							note(spec.Name, "type")
						}
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							note(name, d.Tok.String())
						}
					}
				}
			}
		}
	}
	used := map[string]bool{}
	for _, n := range generic {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && kinds[id.Name] != "" {
				used[id.Name] = true // if this is a local name, the new name is superfluous
			}
			return true
		})
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(used)) {
		switch to := tablegen.Revealed + name; kinds[name] {
		case "func":
			fmt.Fprintf(&b, "\nvar %s = %s\n", to, name)
		case "var":
			fmt.Fprintf(&b, "\nvar %s = &%s\n", to, name)
		default:
			fmt.Fprintf(&b, "\n%s %s = %s\n", kinds[name], to, name)
		}
	}
	return b.String()
}

// isInstance reports whether the type of a receiver has type parameters.
func isInstance(t ast.Expr) bool {
	found := false
	ast.Inspect(t, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.IndexExpr, *ast.IndexListExpr:
			found = true
		}
		return true
	})
	return found
}

// isConstraint reports whether t is an interface that only a type parameter can have. It returns false for an interface
// that only embeds named constraints other than comparable.
func isConstraint(t ast.Expr) bool {
	i, ok := t.(*ast.InterfaceType)
	return ok && slices.ContainsFunc(i.Methods.List, func(f *ast.Field) bool {
		switch t := f.Type.(type) {
		case *ast.BinaryExpr:
			return true
		case *ast.UnaryExpr:
			return t.Op == token.TILDE
		case *ast.Ident:
			return len(f.Names) == 0 && (t.Name == "comparable" || types.Universe.Lookup(t.Name) != nil && t.Name != "error" && t.Name != "any")
		}
		return false
	})
}

// revealed lists the names in the package that reveal has added.
func revealed(p *types.Package) []string {
	return slices.DeleteFunc(p.Scope().Names(), func(name string) bool { return !strings.HasPrefix(name, tablegen.Revealed) })
}
