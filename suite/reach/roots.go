package reach

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"overcomplete/internal/spelling"
)

// root returns the declarations that a root names.
func (c *Code) root(name string) ([]*declaration, error) {
	importPath := name
	for c.folders[importPath] == nil {
		dot := strings.LastIndexByte(importPath, '.')
		if dot < 0 {
			return nil, fmt.Errorf("reach: no package of %s in this module%s", name, near(packageOf(name), maps.Keys(c.folders)))
		}
		importPath = importPath[:dot]
	}
	fo, err := c.open(importPath)
	if err != nil {
		return nil, err
	}
	if importPath == name {
		ds := fo.exported()
		if len(ds) == 0 {
			return nil, fmt.Errorf("reach: %s exports nothing", name)
		}
		return ds, nil
	}
	decl := name[len(importPath)+1:]
	ds := slices.Clone(fo.scope[decl])
	if typ, method, ok := strings.Cut(decl, "."); ok {
		ds, err = c.promoted(fo, typ, method, map[*declaration]bool{})
		if err != nil {
			return nil, err
		}
		if len(ds) > 0 && c.isLab(fo, typ) {
			ds = append(ds, fo.makers(typ)...)
		}
	}
	if len(ds) == 0 {
		return nil, fmt.Errorf("reach: no %s in %s%s", decl, importPath, near(decl, fo.names()))
	}
	return ds, nil
}

// packageOf returns the part before the first dot after the last slash.
func packageOf(name string) string {
	base := path.Base(name)
	pkg, _, _ := strings.Cut(base, ".")
	return name[:len(name)-len(base)] + pkg
}

// promoted finds a method of a type, or of the types that it embeds.
func (c *Code) promoted(fo *folder, typ, method string, seen map[*declaration]bool) ([]*declaration, error) {
	ds := fo.method(typ + "." + method)
	if len(ds) > 0 {
		return append(ds, fo.scope[typ]...), nil
	}
	for _, d := range fo.scope[typ] {
		spec := d.isType()
		if spec == nil || seen[d] {
			continue
		}
		seen[d] = true
		inner := []ast.Expr{spec.Type} // type A = B
		if t, ok := spec.Type.(*ast.StructType); ok && t.Fields != nil {
			inner = nil
			for _, f := range t.Fields.List {
				if len(f.Names) == 0 {
					inner = append(inner, f.Type)
				}
			}
		}
		for _, x := range inner {
			other, name, err := c.typeAt(d.file, x)
			if err != nil {
				return nil, err
			}
			if other == nil {
				continue
			}
			found, err := c.promoted(other, name, method, seen)
			if err != nil {
				return nil, err
			}
			if len(found) > 0 {
				return append(found, d), nil
			}
		}
	}
	return nil, nil
}

// makers returns the functions of a package with a result of a type. An experiment's result depends
// on what they set, in the value or in the program.
func (fo *folder) makers(typ string) []*declaration {
	var all []*declaration
	for _, ds := range fo.scope {
		for _, d := range ds {
			f, ok := d.node.(*ast.FuncDecl)
			if !ok || f.Type.Results == nil {
				continue
			}
			for _, r := range f.Type.Results.List {
				if typeName(r.Type) == typ {
					all = append(all, d)
				}
			}
		}
	}
	return all
}

// typeAt returns where a type's name in a file is declared, or nil if it is not in the module.
func (c *Code) typeAt(f *file, x ast.Expr) (*folder, string, error) {
	switch t := x.(type) {
	case *ast.StarExpr:
		return c.typeAt(f, t.X)
	case *ast.ParenExpr:
		return c.typeAt(f, t.X)
	case *ast.IndexExpr:
		return c.typeAt(f, t.X)
	case *ast.IndexListExpr:
		return c.typeAt(f, t.X)
	case *ast.Ident:
		return f.folder, t.Name, nil
	case *ast.SelectorExpr:
		pkg, ok := t.X.(*ast.Ident)
		if !ok {
			break
		}
		for _, im := range f.imports {
			if !c.followed(im.path) {
				continue
			}
			fo, err := c.open(im.path)
			if err != nil {
				return nil, "", err
			}
			if pkg.Name == cmp.Or(im.name, fo.name) {
				return fo, t.Sel.Name, nil
			}
		}
	}
	return nil, "", nil
}

// exported returns the exported declarations of a package, including methods.
func (fo *folder) exported() []*declaration {
	var all []*declaration
	for name, ds := range fo.scope {
		if !token.IsExported(name) && !(fo.name == "main" && name == "main") {
			continue
		}
		all = append(all, ds...)
		for _, m := range fo.methods[name] {
			if token.IsExported(m.name[len(name)+1:]) {
				all = append(all, m)
			}
		}
	}
	return all
}

// names returns all names that a root in a package may have.
func (fo *folder) names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range fo.scope {
			if !yield(name) {
				return
			}
		}
		for _, ms := range fo.methods {
			for _, m := range ms {
				if !yield(m.name) {
					return
				}
			}
		}
	}
}

// near returns at most three names that may have been meant.
func near(name string, all iter.Seq[string]) string {
	const far = 1 << 20
	distances := map[string]int{}
	for other := range all {
		d := spelling.Distance(name, other)
		switch {
		case d <= max(1, len(name)/3):
		case strings.HasSuffix(other, "/"+path.Base(name)), strings.HasSuffix(other, "."+name), strings.HasPrefix(other, name):
			d = far
		default:
			continue
		}
		distances[other] = d
	}
	best := slices.SortedFunc(maps.Keys(distances), func(a, b string) int {
		return cmp.Or(cmp.Compare(distances[a], distances[b]), cmp.Compare(a, b))
	})
	if len(best) == 0 {
		return ""
	}
	return "; near it: " + strings.Join(best[:min(3, len(best))], ", ")
}
