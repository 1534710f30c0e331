package ixengine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
)

// The interpreter makes an unnamed interface type with methods anew in each program. So a variable of such a
// type would have a different type in the next cell, and lose its value. To prevent this, later programs
// declare the variable with a named type, for which the loader returns the variable's runtime type. Values of
// the unnamed type and the named type are assignable to each other.

// varType returns the type of a session variable as syntax.
func (s *Session) varType(v *variable) ast.Expr {
	i, ok := types.Unalias(v.typ).(*types.Interface)
	if !ok || i.NumMethods() == 0 || v.addr == nil || mentionsMain(i) {
		return s.typeExpr(v.typ)
	}
	n := s.host.namedInterface(i)
	s.loader.adopt(map[*types.TypeName]reflect.Type{n.Obj(): reflect.TypeOf(v.addr).Elem()}, nil)
	return hostSel(n.Obj().Name())
}

// namedInterface returns a named type with the underlying type i.
func (h *host) namedInterface(i *types.Interface) *types.Named {
	if n := h.interfaces.At(i); n != nil {
		return n.(*types.Named)
	}
	h.n++
	o := types.NewTypeName(token.NoPos, h.pkg, fmt.Sprintf("T%d", h.n), nil)
	n := types.NewNamed(o, i, nil)
	h.interfaces.Set(i, n)
	h.pkg.Scope().Insert(o)
	return n
}

// plain returns the interface type for which namedInterface made t. It returns other types unchanged.
func (h *host) plain(t types.Type) types.Type {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() == h.pkg {
		return n.Underlying()
	}
	return t
}
