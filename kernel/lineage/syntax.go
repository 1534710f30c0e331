package lineage

import (
	"go/ast"
	"go/token"

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

// list reads statements.
func (r *reader) list(list []ast.Stmt) {
	for _, st := range list {
		r.stmt(st)
	}
}

// readBranch calls the function fn in a new scope, to read code that possibly does not run, such as a branch or a loop.
func (r *reader) readBranch(fn func()) {
	r.push()
	r.nested++
	fn()
	r.nested--
	r.pop()
}

// stmt reads a statement. The parameter st may be nil.
func (r *reader) stmt(st ast.Stmt) {
	switch x := st.(type) {
	case *ast.AssignStmt:
		r.assignment(x)
	case *ast.IncDecStmt:
		r.expr(x.X)
		r.assign(x.X)
	case *ast.DeclStmt:
		if d, ok := x.Decl.(*ast.GenDecl); ok {
			for _, spec := range d.Specs {
				r.spec(spec)
			}
		}
	case *ast.ExprStmt:
		r.expr(x.X)
	case *ast.SendStmt:
		r.expr(x.Chan)
		r.expr(x.Value)
	case *ast.GoStmt:
		r.expr(x.Call)
	case *ast.DeferStmt:
		r.expr(x.Call)
	case *ast.ReturnStmt:
		r.exprs(x.Results)
	case *ast.LabeledStmt:
		r.stmt(x.Stmt)
	case *ast.BlockStmt:
		r.readBranch(func() { r.list(x.List) })
	case *ast.IfStmt:
		r.readBranch(func() {
			r.stmt(x.Init)
			r.expr(x.Cond)
			r.stmt(x.Body)
			r.stmt(x.Else)
		})
	case *ast.ForStmt:
		r.readBranch(func() {
			r.stmt(x.Init)
			r.expr(x.Cond)
			r.stmt(x.Body)
			r.stmt(x.Post)
		})
	case *ast.RangeStmt:
		r.rangeOver(x)
	case *ast.SwitchStmt:
		r.readBranch(func() {
			r.stmt(x.Init)
			r.expr(x.Tag)
			r.stmt(x.Body)
		})
	case *ast.TypeSwitchStmt:
		r.readBranch(func() {
			r.stmt(x.Init)
			r.stmt(x.Assign)
			r.stmt(x.Body)
		})
	case *ast.CaseClause:
		r.exprs(x.List)
		r.readBranch(func() { r.list(x.Body) })
	case *ast.SelectStmt:
		r.stmt(x.Body)
	case *ast.CommClause:
		r.readBranch(func() {
			r.stmt(x.Comm)
			r.list(x.Body)
		})
	}
}

func (r *reader) assignment(x *ast.AssignStmt) {
	r.exprs(x.Rhs)
	for _, l := range x.Lhs {
		switch id, isName := l.(*ast.Ident); {
		case x.Tok == token.DEFINE && isName:
			r.declare(id)
		case x.Tok == token.ASSIGN:
			r.assign(l)
		default: // x op= e
			r.expr(l)
			r.assign(l)
		}
	}
}

func (r *reader) rangeOver(x *ast.RangeStmt) {
	r.expr(x.X)
	r.readBranch(func() {
		for _, e := range []ast.Expr{x.Key, x.Value} {
			id, isName := e.(*ast.Ident)
			switch {
			case e == nil:
			case x.Tok == token.DEFINE && isName:
				r.declare(id)
			default:
				r.assign(e)
			}
		}
		r.stmt(x.Body)
	})
}

// spec reads a declaration of variables, constants or a type.
func (r *reader) spec(spec ast.Spec) {
	switch x := spec.(type) {
	case *ast.ValueSpec:
		r.expr(x.Type)
		r.exprs(x.Values)
		for _, id := range x.Names {
			r.declare(id)
		}
	case *ast.TypeSpec:
		r.declare(x.Name)
		r.push()
		r.typeParams(x.TypeParams)
		r.expr(x.Type)
		r.pop()
	}
}
