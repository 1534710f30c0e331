package ixengine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// The debug form of code. In it each statement is preceded by
//
//	oc__.AtN(place, &x, &y, ...)
//
// where x, y, ... are the N variables of the function that are in scope. Because their addresses are taken,
// each has memory of its own, and a register of the frame holds its address. The session replaces the call
// with a few instructions (debug_site.go). Each function begins with oc__.Enter(). So does the body of each
// range loop, because that may be a function too. The register of Enter holds the current statement of the
// frame.

const (
	atName    = "At" // prefix, followed by the number of variables
	enterName = "Enter"
)

// A scope is a block that encloses the code that is being rewritten.
type scope struct {
	outer *scope
	names []string
	// hidden holds names that are declared in the block but are not variables.
	hidden map[string]bool
	// params is set for the parameters and results of a function.
	params bool
	// refs is set for the parameters of a function literal. It holds the names that the literal mentions. The
	// literal can access no outer variables other than these.
	refs map[string]bool
	// session is set for the scope of the cell's own statements, whose variables are the session's.
	session bool
}

func (c *scope) inner() *scope { return &scope{outer: c} }

func (c *scope) declare(list ...*ast.Ident) {
	for _, id := range list {
		if id == nil || id.Name == "_" || c.session {
			continue
		}
		known := false
		for _, n := range c.names {
			known = known || n == id.Name
		}
		if !known {
			c.names = append(c.names, id.Name)
		}
		delete(c.hidden, id.Name)
	}
}

func (c *scope) hide(name string) {
	if c.hidden == nil {
		c.hidden = map[string]bool{}
	}
	c.hidden[name] = true
}

// visible returns the variables in scope: the parameters of the innermost function, then all other variables,
// innermost block first.
func (c *scope) visible() (list []string) {
	seen := map[string]bool{}
	var params, others []string
	var only []map[string]bool
	inFunc := true
	for ; c != nil; c = c.outer {
	names:
		for _, name := range c.names {
			if seen[name] || c.hidden[name] {
				continue
			}
			for _, refs := range only {
				if !refs[name] {
					continue names
				}
			}
			seen[name] = true
			if c.params && inFunc {
				params = append(params, name)
			} else {
				others = append(others, name)
			}
		}
		for name := range c.hidden {
			seen[name] = true
		}
		for _, name := range c.names {
			seen[name] = true
		}
		if c.params {
			inFunc = false
		}
		if c.refs != nil {
			only = append(only, c.refs)
		}
	}
	return append(params, others...)
}

// A former rewrites syntax trees into debug form.
type former struct {
	s      *Session
	source string // source of the cell
}

// cell rewrites the statements of a cell.
func (f *former) cell(list []ast.Stmt) []ast.Stmt {
	if len(list) == 0 {
		return list
	}
	out := f.list(list, &scope{session: true})
	return append([]ast.Stmt{enter(list[0].Pos())}, out...)
}

// function rewrites a declared function.
func (f *former) function(fn *ast.FuncDecl) {
	if fn.Body == nil {
		return
	}
	c := &scope{params: true}
	for _, list := range []*ast.FieldList{fn.Recv, fn.Type.Params, fn.Type.Results} {
		c.fields(list)
	}
	f.body(fn.Body, c)
}

func (c *scope) fields(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		c.declare(field.Names...)
	}
}

func (f *former) literal(lit *ast.FuncLit, outer *scope) {
	c := &scope{outer: outer, params: true, refs: refsOf(lit)}
	c.fields(lit.Type.Params)
	c.fields(lit.Type.Results)
	f.body(lit.Body, c)
}

func (f *former) body(b *ast.BlockStmt, params *scope) {
	b.List = append([]ast.Stmt{enter(b.Lbrace)}, f.list(b.List, params.inner())...)
}

// expressions rewrites the function literals in nodes. Outside these literals, nodes must contain no blocks. A node
// may be nil.
func (f *former) expressions(c *scope, nodes ...ast.Node) {
	for _, n := range nodes {
		if n == nil || reflect.ValueOf(n).IsNil() {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok {
				f.literal(lit, c)
				return false
			}
			return true
		})
	}
}

// list rewrites a list of statements. Before each statement at which execution can stop, it inserts a place. It adds
// to c the names that the statements declare.
func (f *former) list(list []ast.Stmt, c *scope) (out []ast.Stmt) {
	for _, st := range list {
		for {
			l, ok := st.(*ast.LabeledStmt)
			if !ok || isLoopOrSwitch(l.Stmt) {
				break
			}
			if c.session { // the session's variables are declared at the top level only
				l.Stmt = &ast.BlockStmt{Lbrace: l.Stmt.Pos(), List: f.list([]ast.Stmt{l.Stmt}, c.inner()), Rbrace: l.Stmt.End()}
				break
			}
			// A goto to the label must reach the place too.
			out = append(out, &ast.LabeledStmt{Label: l.Label, Colon: l.Colon, Stmt: &ast.EmptyStmt{Semicolon: l.Colon, Implicit: true}})
			st = l.Stmt
		}
		if l, ok := st.(*ast.LabeledStmt); ok && !isLoopOrSwitch(l.Stmt) {
			out = append(out, l)
			continue
		}
		if has, of := holdable(st); has {
			out = append(out, f.placeStmt(of, c))
		}
		f.statement(st, c)
		out = append(out, st)
	}
	return out
}

// holdable reports whether execution can stop at the statement st. If it can, holdable also returns the statement
// whose position counts. This is st itself or, if st is a loop or switch with a label, the statement after the label.
func holdable(st ast.Stmt) (bool, ast.Stmt) {
	switch st := st.(type) {
	case *ast.EmptyStmt, *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return false, nil
	case *ast.LabeledStmt:
		if isLoopOrSwitch(st.Stmt) {
			return true, st.Stmt
		}
		return false, nil
	case *ast.DeclStmt:
		g, ok := st.Decl.(*ast.GenDecl)
		return ok && g.Tok == token.VAR, st
	}
	return true, st
}

// statement rewrites the parts of a statement, and adds to c the names that the statement declares.
func (f *former) statement(st ast.Stmt, c *scope) {
	switch st := st.(type) {
	case *ast.LabeledStmt:
		f.statement(st.Stmt, c)
	case *ast.BlockStmt:
		st.List = f.list(st.List, c.inner())
	case *ast.IfStmt:
		in := c.inner()
		f.simple(st.Init, in)
		f.expressions(in, st.Cond)
		st.Body.List = f.list(st.Body.List, in.inner())
		switch e := st.Else.(type) {
		case *ast.BlockStmt:
			e.List = f.list(e.List, in.inner())
		case *ast.IfStmt:
			st.Else = &ast.BlockStmt{Lbrace: e.If, List: f.list([]ast.Stmt{e}, in.inner()), Rbrace: e.End()}
		}
	case *ast.ForStmt:
		in := c.inner()
		f.simple(st.Init, in)
		f.expressions(in, st.Cond, st.Post)
		st.Body.List = f.list(st.Body.List, in.inner())
	case *ast.RangeStmt:
		f.expressions(c, st.X, st.Key, st.Value)
		in := c.inner()
		if st.Tok == token.DEFINE {
			for _, e := range []ast.Expr{st.Key, st.Value} {
				if id, ok := e.(*ast.Ident); ok {
					in.declare(id)
				}
			}
		}
		st.Body.List = append([]ast.Stmt{enter(st.Body.Lbrace)}, f.list(st.Body.List, in.inner())...)
	case *ast.SwitchStmt:
		in := c.inner()
		f.simple(st.Init, in)
		f.expressions(in, st.Tag)
		for _, clause := range st.Body.List {
			clause := clause.(*ast.CaseClause)
			for _, e := range clause.List {
				f.expressions(in, e)
			}
			clause.Body = f.list(clause.Body, in.inner())
		}
	case *ast.TypeSwitchStmt:
		in := c.inner()
		f.simple(st.Init, in)
		f.expressions(in, st.Assign)
		for _, clause := range st.Body.List {
			clause := clause.(*ast.CaseClause)
			own := in.inner()
			if a, ok := st.Assign.(*ast.AssignStmt); ok {
				if id, ok := a.Lhs[0].(*ast.Ident); ok {
					own.declare(id)
				}
			}
			clause.Body = f.list(clause.Body, own)
		}
	case *ast.SelectStmt:
		for _, clause := range st.Body.List {
			clause := clause.(*ast.CommClause)
			in := c.inner()
			f.simple(clause.Comm, in)
			clause.Body = f.list(clause.Body, in)
		}
	default:
		f.simple(st, c)
	}
}

// simple rewrites a statement without blocks of its own; st may be nil.
func (f *former) simple(st ast.Stmt, c *scope) {
	if st == nil {
		return
	}
	f.expressions(c, st)
	switch st := st.(type) {
	case *ast.AssignStmt:
		if st.Tok == token.DEFINE {
			for _, e := range st.Lhs {
				if id, ok := e.(*ast.Ident); ok {
					c.declare(id)
				}
			}
		}
	case *ast.DeclStmt:
		g, ok := st.Decl.(*ast.GenDecl)
		if !ok {
			return
		}
		for _, spec := range g.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				if g.Tok == token.VAR {
					c.declare(spec.Names...)
					continue
				}
				for _, id := range spec.Names {
					c.hide(id.Name)
				}
			case *ast.TypeSpec:
				c.hide(spec.Name.Name)
			}
		}
	}
}

func hostCall(name string, pos token.Pos, args ...ast.Expr) ast.Stmt {
	fun := &ast.SelectorExpr{X: &ast.Ident{NamePos: pos, Name: hostName}, Sel: &ast.Ident{NamePos: pos, Name: name}}
	return &ast.ExprStmt{X: &ast.CallExpr{Fun: fun, Lparen: pos, Args: args, Rparen: pos}}
}

func enter(pos token.Pos) ast.Stmt { return hostCall(enterName, pos) }

// isPlace reports whether n is a statement that was added for the debug form.
func isPlace(n ast.Node) bool {
	st, ok := n.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := st.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == hostName && (sel.Sel.Name == enterName || strings.HasPrefix(sel.Sel.Name, atName))
}

// placeStmt returns the statement to insert before st. It calls one of the host package's functions At0, At1 and so
// on, with the number of the place and the addresses of the visible variables.
func (f *former) placeStmt(st ast.Stmt, c *scope) ast.Stmt {
	names := c.visible()
	p := f.s.debug.place(f.source, f.s.ctx.FileSet.Position(st.Pos()), names)
	args := []ast.Expr{&ast.BasicLit{ValuePos: st.Pos(), Kind: token.INT, Value: strconv.Itoa(p.id)}}
	for _, name := range names {
		args = append(args, &ast.UnaryExpr{OpPos: st.Pos(), Op: token.AND, X: &ast.Ident{NamePos: st.Pos(), Name: name}})
	}
	return hostCall(f.s.atFunction(len(names)), st.Pos(), args...)
}

// atFunction returns the name of the host package's function that takes the number of a place and n addresses. It adds
// the function to the package if necessary.
func (s *Session) atFunction(n int) string {
	name := fmt.Sprint(atName, n)
	scope := s.host.pkg.Scope()
	if scope.Lookup(name) != nil {
		return name
	}
	params := []*types.Var{types.NewVar(token.NoPos, s.host.pkg, "place", types.Typ[types.Int])}
	in := []reflect.Type{reflect.TypeFor[int]()}
	for range n {
		params = append(params, types.NewVar(token.NoPos, s.host.pkg, "", types.Universe.Lookup("any").Type()))
		in = append(in, reflect.TypeFor[any]())
	}
	sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), nil, false)
	scope.Insert(types.NewFunc(token.NoPos, s.host.pkg, name, sig))
	nothing := reflect.MakeFunc(reflect.FuncOf(in, nil, false), func([]reflect.Value) []reflect.Value { return nil })
	s.setBuiltin(func(table map[string]reflect.Value) { table[hostPath+"."+name] = nothing }) // calls of it are replaced, so its body never runs
	return name
}
