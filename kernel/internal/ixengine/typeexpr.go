package ixengine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// typeExpr returns t as syntax. A type that mentions no type of a cell is written as an alias from package oc__, which
// every program imports, because the type's own name may be unexported or shadowed in the notebook. Other types are
// spelled out.
func (s *Session) typeExpr(t types.Type) ast.Expr {
	t = types.Unalias(t)
	if !mentionsMain(t) {
		return hostSel(s.host.alias(t))
	}
	return s.spelt(t)
}

// spelt returns t as syntax, spelled out. If t is a named type of a package, rather than of a cell, it must have type
// arguments that mention a type of a cell.
func (s *Session) spelt(t types.Type) ast.Expr {
	switch t := t.(type) {
	case *types.Named:
		if name := s.localTypes[t]; name != "" {
			return ident(name)
		}
		var name ast.Expr = ident(t.Obj().Name())
		if t.TypeArgs().Len() == 0 {
			return name
		}
		if !isMain(t.Obj()) { // a package's generic type instantiated with a type of a cell
			name = hostSel(s.host.alias(t.Origin()))
		}
		var args []ast.Expr
		for a := range t.TypeArgs().Types() {
			args = append(args, s.typeExpr(a))
		}
		return &ast.IndexListExpr{X: name, Indices: args}
	case *types.Pointer:
		return &ast.StarExpr{X: s.typeExpr(t.Elem())}
	case *types.Slice:
		return &ast.ArrayType{Elt: s.typeExpr(t.Elem())}
	case *types.Array:
		return &ast.ArrayType{Len: &ast.BasicLit{Kind: token.INT, Value: fmt.Sprint(t.Len())}, Elt: s.typeExpr(t.Elem())}
	case *types.Map:
		return &ast.MapType{Key: s.typeExpr(t.Key()), Value: s.typeExpr(t.Elem())}
	case *types.Chan:
		dir := ast.SEND | ast.RECV
		switch t.Dir() {
		case types.SendOnly:
			dir = ast.SEND
		case types.RecvOnly:
			dir = ast.RECV
		}
		// As text, chan (<-chan T) needs its parentheses; a syntax tree needs none.
		return &ast.ChanType{Dir: dir, Value: s.typeExpr(t.Elem())}
	case *types.Signature:
		return s.funcType(t)
	case *types.Struct:
		list := &ast.FieldList{}
		for i := range t.NumFields() {
			f := t.Field(i)
			field := &ast.Field{}
			if f.Embedded() {
				field.Type = s.embeddedExpr(f.Name(), f.Type())
			} else {
				field.Type, field.Names = s.typeExpr(f.Type()), []*ast.Ident{ident(f.Name())}
			}
			if tag := t.Tag(i); tag != "" {
				field.Tag = &ast.BasicLit{Kind: token.STRING, Value: fmt.Sprintf("%q", tag)}
			}
			list.List = append(list.List, field)
		}
		return &ast.StructType{Fields: list}
	case *types.Interface:
		list := &ast.FieldList{}
		for m := range t.ExplicitMethods() {
			list.List = append(list.List, &ast.Field{Names: []*ast.Ident{ident(m.Name())}, Type: s.funcType(m.Signature())})
		}
		for e := range t.EmbeddedTypes() {
			list.List = append(list.List, &ast.Field{Type: s.typeExpr(e)})
		}
		return &ast.InterfaceType{Methods: list}
	}
	panic(fmt.Sprintf("ixengine: no syntax for type %v", t))
}

// embeddedExpr returns the type t of an embedded field as syntax. The field gets its name from the syntax, so the syntax
// ends with that name.
func (s *Session) embeddedExpr(name string, t types.Type) ast.Expr {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		return &ast.StarExpr{X: s.embeddedExpr(name, p.Elem())}
	}
	if !mentionsMain(t) {
		return hostSel(s.host.aliasAs(name, t))
	}
	e := s.spelt(t)
	switch n, ok := t.(*types.Named); {
	case ok && !isMain(n.Obj()): // see spelt
		e.(*ast.IndexListExpr).X = hostSel(s.host.aliasAs(name, n.Origin()))
	case ok && n.Obj().Name() != name && n.TypeArgs().Len() == 0: // an alias that a cell declares
		return ident(name)
	}
	return e
}

func (s *Session) funcType(t *types.Signature) *ast.FuncType {
	fields := func(tuple *types.Tuple, variadic bool) *ast.FieldList {
		list := &ast.FieldList{}
		for i := range tuple.Len() {
			typ := tuple.At(i).Type()
			if variadic && i == tuple.Len()-1 {
				elem := typ.(*types.Slice).Elem()
				list.List = append(list.List, &ast.Field{Type: &ast.Ellipsis{Elt: s.typeExpr(elem)}})
				continue
			}
			list.List = append(list.List, &ast.Field{Type: s.typeExpr(typ)})
		}
		return list
	}
	ft := &ast.FuncType{Params: fields(t.Params(), t.Variadic())}
	if t.Results().Len() > 0 {
		ft.Results = fields(t.Results(), false)
	}
	return ft
}

// mentionsMain reports whether a type of a cell occurs in t.
func mentionsMain(t types.Type) bool {
	found := false
	walkNamed(t, func(n *types.Named) { found = found || isMain(n.Obj()) })
	return found
}

func isMain(o types.Object) bool { return o.Pkg() != nil && o.Pkg().Path() == "main" }

// isTopLevel reports whether n is declared at the top level of a cell. A type of a cell can be named elsewhere only if
// it is declared at top level, not in a function.
func isTopLevel(n *types.Named) bool {
	o := n.Origin().Obj()
	return isMain(o) && o.Parent() == o.Pkg().Scope()
}

// isLocal reports whether n is declared in a function of a cell. It returns false for a generic type, and for a type that
// is declared in a generic function, because such a type is a different one in each instance of the function.
func isLocal(n *types.Named) bool {
	o := n.Obj()
	if n.TypeParams().Len() > 0 || n.TypeArgs().Len() > 0 || !isMain(o) || o.Parent() == nil || o.Parent() == o.Pkg().Scope() {
		return false
	}
	for scope := o.Parent(); scope != nil && scope != o.Pkg().Scope(); scope = scope.Parent() {
		for _, name := range scope.Names() {
			if _, isParam := scope.Lookup(name).Type().(*types.TypeParam); isParam {
				return false
			}
		}
	}
	return true
}

// walkNamed calls f for each named type that occurs in t as written. It does not descend into the underlying
// types of named types.
func walkNamed(t types.Type, f func(*types.Named)) {
	walkTypes(t, func(t types.Type) {
		if n, ok := t.(*types.Named); ok {
			f(n)
		}
	})
}

// hasTypeParam reports whether t depends on a type parameter.
func hasTypeParam(t types.Type) bool {
	found := false
	walkTypes(t, func(t types.Type) {
		_, param := t.(*types.TypeParam)
		found = found || param
	})
	return found
}

// walkTypes calls f for t and all types that occur in it, once each, with aliases resolved and without the
// underlying types of named types.
func walkTypes(t types.Type, f func(types.Type)) {
	seen := map[types.Type]bool{}
	var walk func(types.Type)
	tuple := func(t *types.Tuple) {
		for v := range t.Variables() {
			walk(v.Type())
		}
	}
	walk = func(t types.Type) {
		t = types.Unalias(t)
		if seen[t] {
			return
		}
		seen[t] = true
		f(t)
		switch t := t.(type) {
		case *types.Named:
			for a := range t.TypeArgs().Types() {
				walk(a)
			}
		case *types.Map:
			walk(t.Key())
			walk(t.Elem())
		case interface{ Elem() types.Type }: // pointer, slice, array, chan
			walk(t.Elem())
		case *types.Signature:
			tuple(t.Params())
			tuple(t.Results())
		case *types.Struct:
			for v := range t.Fields() {
				walk(v.Type())
			}
		case *types.Interface:
			for m := range t.ExplicitMethods() {
				walk(m.Type())
			}
			for e := range t.EmbeddedTypes() {
				walk(e)
			}
		}
	}
	walk(t)
}
