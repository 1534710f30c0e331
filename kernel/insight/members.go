package insight

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// selectable returns the names that can follow the period after x.
func (p *program) selectable(x ast.Expr) (list []candidate) {
	if id, ok := x.(*ast.Ident); ok {
		if pkg, ok := p.info.Uses[id].(*types.PkgName); ok {
			for _, name := range p.lib.exported(pkg.Imported()) {
				list = append(list, candidate{text: name, kind: kindOf(pkg.Imported().Scope().Lookup(name))})
			}
			return list
		}
	}
	tv, ok := p.info.Types[x]
	if !ok || tv.Type == nil || tv.Type == types.Typ[types.Invalid] {
		return nil
	}
	return members(tv.Type, p.pkg, !tv.IsType())
}

// members returns the methods of t and, if fields is true, also the fields of t. For a promoted member, the candidate's
// field named far is the number of embedded structs through which the member is reached.
func members(t types.Type, from *types.Package, fields bool) (list []candidate) {
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() != 1 {
			return nil
		}
		t = tuple.At(0).Type()
	}
	visible := func(o types.Object) bool { return o.Exported() || o.Pkg() == from }
	seen := map[string]bool{}
	for _, sel := range methodsOf(t) {
		if obj := sel.Obj(); visible(obj) && !seen[obj.Name()] {
			seen[obj.Name()] = true
			list = append(list, candidate{text: obj.Name(), kind: kindMethod, far: len(sel.Index()) - 1})
		}
	}
	if !fields {
		return list
	}
	// Search breadth first: a shallower member hides deeper members of the same name.
	type at struct {
		t   types.Type
		far int
	}
	been := map[types.Type]bool{}
	for queue := []at{{t, 0}}; len(queue) > 0; queue = queue[1:] {
		s, ok := structOf(queue[0].t)
		if !ok || been[s] {
			continue
		}
		been[s] = true
		for f := range s.Fields() {
			if visible(f) && !seen[f.Name()] && f.Name() != "_" {
				seen[f.Name()] = true
				list = append(list, candidate{text: f.Name(), kind: kindField, far: queue[0].far})
			}
			if f.Embedded() {
				queue = append(queue, at{f.Type(), queue[0].far + 1})
			}
		}
	}
	return list
}

// methodsOf returns the methods that can be called on a variable of type t.
func methodsOf(t types.Type) []*types.Selection {
	if pt, ok := types.Unalias(t).(*types.Pointer); ok && types.IsInterface(pt.Elem()) {
		return nil
	}
	return typeutil.IntuitiveMethodSet(t, nil)
}

// structOf returns the struct type t, or the struct type to which t points.
func structOf(t types.Type) (*types.Struct, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	return s, ok
}

// literalFields returns the fields that a struct literal does not set yet. keyed is true if the literal already sets
// some fields by name; then the others must be set by name too.
func (p *program) literalFields(lit *ast.CompositeLit) (list []candidate, keyed bool) {
	t := p.info.TypeOf(lit)
	if t == nil {
		return nil, false
	}
	s, ok := structOf(t)
	if !ok {
		return nil, false
	}
	set := map[string]bool{}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id != p.cursorIdent() {
				set[id.Name], keyed = true, true
			}
		}
	}
	for f := range s.Fields() {
		if (f.Exported() || f.Pkg() == p.pkg) && !set[f.Name()] && !strings.HasPrefix(f.Name(), "_") {
			list = append(list, candidate{text: f.Name(), kind: kindField, far: -1})
		}
	}
	return list, keyed
}
