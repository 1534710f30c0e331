package ixengine

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// hostName is the name under which every program imports the host package, through which cells reach the
// session. No user's name ends in two underscores by accident.
const (
	hostName = "oc__"
	hostPath = "kernel/host"
)

func ident(name string) *ast.Ident { return ast.NewIdent(name) }

func hostSel(name string) ast.Expr {
	return &ast.SelectorExpr{X: ident(hostName), Sel: ident(name)}
}

// stopCheck returns an if statement: if oc__.Stop { oc__.Poll() }. A traceback shows it at pos.
func stopCheck(pos token.Pos) ast.Stmt {
	poll := &ast.CallExpr{Fun: hostSel("Poll"), Lparen: pos, Rparen: pos}
	return &ast.IfStmt{If: pos, Cond: hostSel("Stop"), Body: &ast.BlockStmt{Lbrace: pos, List: []ast.Stmt{&ast.ExprStmt{X: poll}}, Rbrace: pos}}
}

// instrument puts a stop check at the beginning of each loop and each function in n, including n itself.
func instrument(n ast.Node) {
	check := func(pos token.Pos, b *ast.BlockStmt) {
		if b != nil {
			b.List = append([]ast.Stmt{stopCheck(pos)}, b.List...)
		}
	}
	if l, ok := n.(*ast.LabeledStmt); ok && !isLoopOrSwitch(l.Stmt) { // a label of the cell's own statements
		l.Stmt = &ast.BlockStmt{List: []ast.Stmt{stopCheck(l.Label.NamePos), l.Stmt}}
	}
	deferred := map[*ast.FuncLit]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			// Deferred function literals must run even if the cell is stopped.
			if f, ok := n.Call.Fun.(*ast.FuncLit); ok {
				deferred[f] = true
			}
		case *ast.ForStmt:
			check(n.For, n.Body)
		case *ast.RangeStmt:
			check(n.For, n.Body)
		case *ast.SelectStmt:
			receiveFirst(n)
		case *ast.FuncLit:
			restartLoops(n.Body.List...)
			keepDefers(n.Body)
			if !deferred[n] {
				check(n.Type.Func, n.Body)
			}
		case *ast.FuncDecl:
			if n.Body != nil {
				restartLoops(n.Body.List...)
			}
			keepDefers(n.Body)
			check(n.Type.Func, n.Body)
		case *ast.BlockStmt:
			n.List = checkLabels(n.List)
		case *ast.CaseClause:
			n.Body = checkLabels(n.Body)
		case *ast.CommClause:
			n.Body = checkLabels(n.Body)
		}
		return true
	})
}

// checkLabels puts a stop check at each label in a list of statements: a loop made with goto has no loop
// statement. Labels of loops and switches must stay directly before their statements, where break finds them.
func checkLabels(list []ast.Stmt) []ast.Stmt {
	if !slices.ContainsFunc(list, func(st ast.Stmt) bool { _, ok := st.(*ast.LabeledStmt); return ok }) {
		return list
	}
	var out []ast.Stmt
	for _, st := range list {
		for {
			l, ok := st.(*ast.LabeledStmt)
			if !ok || isLoopOrSwitch(l.Stmt) {
				break
			}
			out = append(out, &ast.LabeledStmt{Label: l.Label, Colon: l.Colon, Stmt: stopCheck(l.Label.NamePos)})
			st = l.Stmt // add it to the same block, so that later statements see its declarations
		}
		out = append(out, st)
	}
	return out
}

// isLoopOrSwitch reports whether a statement is one that break can end.
func isLoopOrSwitch(st ast.Stmt) bool {
	switch st.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// keepDefers puts a defer statement that does nothing at the beginning of a function that defers in the body
// of a range loop. If the loop ranges over a function, the SSA builder turns the loop's body into a separate
// function. If the outer function had no other defer statement, it would then run no deferred calls at all.
func keepDefers(body *ast.BlockStmt) {
	if body != nil && defersInRange(body) {
		body.List = append([]ast.Stmt{emptyDefer(body.Lbrace)}, body.List...)
	}
}

// emptyDefer returns an if statement: if oc__.Stop { defer func() {}() }.
func emptyDefer(pos token.Pos) ast.Stmt {
	nothing := &ast.FuncLit{Type: &ast.FuncType{Func: pos, Params: &ast.FieldList{}}, Body: &ast.BlockStmt{Lbrace: pos, Rbrace: pos}}
	return &ast.IfStmt{If: pos, Cond: hostSel("Stop"), Body: &ast.BlockStmt{Lbrace: pos, Rbrace: pos, List: []ast.Stmt{
		&ast.DeferStmt{Defer: pos, Call: &ast.CallExpr{Fun: nothing, Lparen: pos, Rparen: pos}},
	}}}
}

// defersInRange reports whether n has a defer statement in a range loop, not counting functions inside n.
func defersInRange(n ast.Node) bool {
	found := false
	var look func(n ast.Node, inRange bool)
	look = func(n ast.Node, inRange bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.DeferStmt:
				found = found || inRange
			case *ast.RangeStmt:
				if !inRange {
					look(m.Body, true)
					return false
				}
			}
			return !found
		})
	}
	look(n, false)
	return found
}

// canHook reports whether old versions of f can call a new version. Old versions of generic functions cannot,
// because a generic function has no single address. An init function needs no hook, because code never calls
// it.
func canHook(f *ast.FuncDecl) bool {
	if f.Body == nil || f.Type.TypeParams != nil || strings.HasPrefix(f.Name.Name, initPrefix) || f.Name.Name == "_" {
		return false
	}
	if f.Recv == nil {
		return true
	}
	t := f.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	_, plain := t.(*ast.Ident) // T[P] is generic
	return plain
}

// addHook makes f begin with
//
//	if hook != nil { return hook(receiver, parameters...) }
//
// and returns the declaration of the variable hook.
func addHook(f *ast.FuncDecl, hook string) *ast.GenDecl {
	var args []ast.Expr
	var params []*ast.Field
	n := 0
	take := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			if len(field.Names) == 0 {
				field.Names = []*ast.Ident{ident("_")}
			}
			for _, name := range field.Names {
				if name.Name == "_" {
					name.Name = fmt.Sprintf("p__%d", n)
				}
				n++
				args = append(args, ident(name.Name))
				// The hook's parameters have no names: an identifier can define only one object.
				params = append(params, &ast.Field{Type: field.Type})
			}
		}
	}
	take(f.Recv)
	take(f.Type.Params)
	call := &ast.CallExpr{Fun: ident(hook), Args: args}
	if k := len(params); k > 0 {
		if _, variadic := params[k-1].Type.(*ast.Ellipsis); variadic {
			call.Ellipsis = token.Pos(1) // any valid position marks an ellipsis
		}
	}
	var body []ast.Stmt
	if f.Type.Results != nil && len(f.Type.Results.List) > 0 {
		body = []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{call}}}
	} else {
		body = []ast.Stmt{&ast.ExprStmt{X: call}, &ast.ReturnStmt{}}
	}
	test := &ast.IfStmt{
		Cond: &ast.BinaryExpr{X: ident(hook), Op: token.NEQ, Y: ident("nil")},
		Body: &ast.BlockStmt{List: body},
	}
	f.Body.List = append([]ast.Stmt{test}, f.Body.List...)
	typ := &ast.FuncType{Params: &ast.FieldList{List: params}, Results: unnamed(f.Type.Results)}
	return varDecl(hook, typ)
}

// unnamed returns a list with the same types but no names.
func unnamed(list *ast.FieldList) *ast.FieldList {
	if list == nil {
		return nil
	}
	out := &ast.FieldList{}
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			out.List = append(out.List, &ast.Field{Type: f.Type})
		}
	}
	return out
}

// varDecl returns a declaration of the form: var name typ.
func varDecl(name string, typ ast.Expr) *ast.GenDecl {
	return &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{
		&ast.ValueSpec{Names: []*ast.Ident{ident(name)}, Type: typ},
	}}
}

// varInit returns a declaration of the form: var name = value.
func varInit(name string, value ast.Expr) *ast.GenDecl {
	return &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{
		&ast.ValueSpec{Names: []*ast.Ident{ident(name)}, Values: []ast.Expr{value}},
	}}
}
