package lineage

import (
	"go/ast"

	"overcomplete/kernel/cellsyntax"
)

// exprs reads a list of expressions.
func (r *reader) exprs(list []ast.Expr) {
	for _, e := range list {
		r.expr(e)
	}
}

// expr reads an expression or a type. The parameter e may be nil.
func (r *reader) expr(e ast.Expr) {
	switch x := e.(type) {
	case *ast.Ident:
		r.read(x)
	case *ast.SelectorExpr:
		r.expr(x.X)
	case *ast.ParenExpr:
		r.expr(x.X)
	case *ast.StarExpr:
		r.expr(x.X)
	case *ast.UnaryExpr:
		r.expr(x.X)
	case *ast.BinaryExpr:
		r.expr(x.X)
		r.expr(x.Y)
	case *ast.CallExpr:
		r.call(x)
	case *ast.IndexExpr:
		r.expr(x.X)
		r.expr(x.Index)
	case *ast.IndexListExpr:
		r.expr(x.X)
		r.exprs(x.Indices)
	case *ast.SliceExpr:
		r.exprs([]ast.Expr{x.X, x.Low, x.High, x.Max})
	case *ast.TypeAssertExpr:
		r.expr(x.X)
		r.expr(x.Type)
	case *ast.KeyValueExpr:
		r.expr(x.Key)
		r.expr(x.Value)
	case *ast.CompositeLit:
		r.expr(x.Type)
		r.elements(x, x.Type)
	case *ast.FuncLit:
		r.function(nil, x.Type, x.Body)
	default:
		r.typ(e)
	}
}

// typ reads a type that is not just a name.
func (r *reader) typ(e ast.Expr) {
	switch x := e.(type) {
	case *ast.Ellipsis:
		r.expr(x.Elt)
	case *ast.ArrayType:
		r.expr(x.Len)
		r.expr(x.Elt)
	case *ast.MapType:
		r.expr(x.Key)
		r.expr(x.Value)
	case *ast.ChanType:
		r.expr(x.Value)
	case *ast.FuncType:
		r.push()
		r.signature(x)
		r.pop()
	case *ast.StructType:
		r.fields(x.Fields)
	case *ast.InterfaceType:
		r.fields(x.Methods)
	}
}

func (r *reader) fields(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		r.expr(f.Type)
	}
}

// call reads a call. The builtins copy, delete and clear count as assignments to their first argument.
func (r *reader) call(x *ast.CallExpr) {
	r.expr(x.Fun)
	r.exprs(x.Args)
	id, ok := x.Fun.(*ast.Ident)
	if !ok || len(x.Args) == 0 || r.isLocal(id.Name) {
		return
	}
	switch id.Name {
	case "copy", "delete", "clear":
		if to := cellsyntax.Root(x.Args[0]); to != nil {
			r.assign(&ast.StarExpr{X: to})
		}
	}
}

// elements reads the elements of a composite literal of type typ. Keys that may be names of fields are not read.
func (r *reader) elements(lit *ast.CompositeLit, typ ast.Expr) {
	isFields := true
	var key, elem ast.Expr // types of nested literals that omit their type
	switch t := typ.(type) {
	case *ast.MapType:
		isFields, key, elem = false, t.Key, t.Value
	case *ast.ArrayType:
		isFields, elem = false, t.Elt
	}
	inner := func(e, typ ast.Expr) {
		if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
			if p, ok := typ.(*ast.StarExpr); ok {
				typ = p.X // the elements may also omit &T
			}
			r.elements(lit, typ)
			return
		}
		r.expr(e)
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			inner(e, elem)
			continue
		}
		if _, isName := kv.Key.(*ast.Ident); !isName || !isFields {
			inner(kv.Key, key)
		}
		inner(kv.Value, elem)
	}
}
