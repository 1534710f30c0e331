package reach

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"overcomplete/internal/spelling"
)

// root returns the declarations for a root (see Reach). For a method, they include the method's type and, if the type
// is a paper's Lab, the functions that return a Lab.
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
		ds := fo.exportedDecls()
		if len(ds) == 0 {
			return nil, fmt.Errorf("reach: %s exports nothing", name)
		}
		return ds, nil
	}
	decl := name[len(importPath)+1:]
	ds := fo.scope[decl]
	if typ, method, ok := strings.Cut(decl, "."); ok {
		if t := fo.types.Scope().Lookup(typ); t != nil && ds == nil { // the method may be promoted from an embedded type
			obj, _, _ := types.LookupFieldOrMethod(t.Type(), true, fo.types, method)
			ds = c.declarations(obj)
		}
		if ds != nil {
			ds = slices.Concat(ds, fo.scope[typ])
		}
		if ds != nil && c.isLab(fo, typ) {
			ds = append(ds, fo.makers(typ)...)
		}
	}
	if len(ds) == 0 {
		return nil, fmt.Errorf("reach: no %s in %s%s", decl, importPath, near(decl, maps.Keys(fo.scope)))
	}
	return ds, nil
}

// packageOf returns the package's path in a root: the part before the first dot after the last slash.
func packageOf(name string) string {
	base := path.Base(name)
	pkg, _, _ := strings.Cut(base, ".")
	return name[:len(name)-len(base)] + pkg
}

// makers returns the functions of a package that have a result of the type typ. An experiment's result depends on the
// fields and package-level variables that these functions set.
func (fo *folder) makers(typ string) []*declaration {
	var all []*declaration
	for _, ds := range fo.scope {
		for _, d := range ds {
			f, ok := d.node.(*ast.FuncDecl)
			if !ok || f.Recv != nil || f.Type.Results == nil {
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

// exportedDecls returns the exported declarations of a package, including methods.
func (fo *folder) exportedDecls() []*declaration {
	var all []*declaration
	for name, ds := range fo.scope {
		typ, method, isMethod := strings.Cut(name, ".")
		if token.IsExported(typ) && (!isMethod || token.IsExported(method)) || fo.name == "main" && name == "main" {
			all = append(all, ds...)
		}
	}
	return all
}

// near returns text to append to an error message. The text suggests those known names that are most similar to the
// given name, at most three. If none is similar, near returns "".
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
