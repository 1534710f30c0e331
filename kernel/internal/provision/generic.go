package provision

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"

	"overcomplete/kernel/engine"
)

// mostlyGeneric reports whether more than half of the names that a package exports are generic. The compiled
// package's table would lack these names. A file that cannot be parsed counts as empty.
func (p *Provider) mostlyGeneric(s engine.Source) bool {
	known, ok := p.generic[s.Dir]
	if !ok {
		known = mostlyGeneric(s)
		p.generic[s.Dir] = known
	}
	return known
}

func mostlyGeneric(s engine.Source) bool {
	exported, generic := 0, 0
	for _, name := range s.Files {
		if !filepath.IsAbs(name) {
			name = filepath.Join(s.Dir, name)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			e, g := count(d)
			exported += e
			generic += g
		}
	}
	return 2*generic > exported
}

// count returns how many names a declaration exports, and how many of them are generic. Methods do not count;
// they come with their types.
func count(d ast.Decl) (exported, generic int) {
	note := func(name *ast.Ident, params *ast.FieldList) {
		if name.IsExported() {
			exported++
			if params != nil {
				generic++
			}
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			note(d.Name, d.Type.TypeParams)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if it, ok := spec.Type.(*ast.InterfaceType); ok && spec.TypeParams == nil && isConstraint(it) {
					// A constraint is only used by generic functions, so do not count it.
					continue
				}
				note(spec.Name, spec.TypeParams)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					note(id, nil)
				}
			}
		}
	}
	return exported, generic
}

// isConstraint reports whether an interface has an element such as ~T or T | U, which only a constraint may have.
func isConstraint(t *ast.InterfaceType) bool {
	for _, f := range t.Methods.List {
		if len(f.Names) > 0 {
			continue
		}
		switch x := f.Type.(type) {
		case *ast.UnaryExpr:
			return x.Op == token.TILDE
		case *ast.BinaryExpr:
			return x.Op == token.OR
		}
	}
	return false
}
