package lineage

import (
	"go/ast"
	"go/token"
)

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
