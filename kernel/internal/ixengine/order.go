package ixengine

import (
	"go/ast"
	"go/token"
	"maps"
	"strings"

	"overcomplete/kernel/cellsyntax"
)

// arrange returns a cell's statements in execution order, with calls of its init functions and, for a whole program,
// of main:
//
//   - The var declarations at the beginning of a cell (in a file, all of them) are initialized in Go's order: a variable comes after the variables that its value needs, including through functions. From the first other statement on, everything runs in source order.
//   - The init functions run as soon as these variables, and all other variables that the init functions mention, are initialized.
//   - main runs at the end of a cell that is a whole program; see cellsyntax.Tree.RunsMain.
func (s *Session) arrange(e *env, own []*decl, tree *cellsyntax.Tree) []ast.Stmt {
	head, rest := splitHead(tree.Stmts)
	head = s.inGoOrder(e, own, head)
	body := append(head[:len(head):len(head)], rest...)
	var inits []ast.Stmt
	var decls []ast.Decl
	for _, d := range own {
		if d.isInit() {
			fn := d.node.(*ast.FuncDecl)
			inits = append(inits, call(fn.Name.Name, fn.Name.NamePos))
			decls = append(decls, fn)
		}
	}
	if len(inits) > 0 {
		at, needs := len(head), reached(e, decls...)
		for i, st := range rest {
			for _, id := range cellsyntax.Variables([]ast.Stmt{st}) {
				if needs[id.Name] {
					at = len(head) + i + 1
				}
			}
		}
		body = append(body[:at:at], append(inits, body[at:]...)...)
	}
	if tree.RunsMain() {
		body = append(body, call("main", token.NoPos))
	}
	return body
}

func call(name string, pos token.Pos) ast.Stmt {
	id := ident(name)
	id.NamePos = pos
	return &ast.ExprStmt{X: &ast.CallExpr{Fun: id, Lparen: pos, Rparen: pos}}
}

// splitHead splits the statements in body: head gets the var declarations at the beginning, and rest gets the other
// statements.
func splitHead(body []ast.Stmt) (head, rest []ast.Stmt) {
	for i, st := range body {
		if varSpecs(st) == nil {
			return body[:i], body[i:]
		}
	}
	return body, nil
}

// varSpecs returns the specs of a var declaration, or nil if st is another statement.
func varSpecs(st ast.Stmt) (list []*ast.ValueSpec) {
	d, ok := st.(*ast.DeclStmt)
	if !ok {
		return nil
	}
	g, ok := d.Decl.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return nil
	}
	for _, spec := range g.Specs {
		list = append(list, spec.(*ast.ValueSpec))
	}
	return list
}

// reached returns the names mentioned by the declarations in list. It includes names that these mention only
// indirectly, through declarations of the session.
func reached(e *env, list ...ast.Decl) map[string]bool {
	names := map[string]bool{}
	for _, d := range list {
		maps.Copy(names, refsOf(d))
	}
	for _, d := range (&program{env: e, extra: list}).reachable().decls {
		maps.Copy(names, d.refs)
	}
	return names
}

// inGoOrder puts var declarations into the order in which Go initializes package variables. If there is no
// such order, as for var x = x + 1 with an x from an earlier cell, the declarations keep their order.
func (s *Session) inGoOrder(e *env, own []*decl, head []ast.Stmt) []ast.Stmt {
	if !needsLater(e, head) {
		return head
	}
	// Check the declarations as package variables, together with all functions, including bodies.
	e = e.clone()
	p := &program{env: e, own: own, omit: map[*decl]bool{}, lost: map[*variable]bool{}}
	specOf := map[ast.Expr]*ast.ValueSpec{}
	values := 0
	var zeros []ast.Stmt
	for _, st := range head {
		p.extra = append(p.extra, st.(*ast.DeclStmt).Decl)
		for _, spec := range varSpecs(st) {
			for _, id := range spec.Names {
				e.forget(id.Name)
			}
			if len(spec.Values) == 0 {
				zeros = append(zeros, varStmt(spec))
			}
			for _, v := range spec.Values {
				specOf[v] = spec
				values++
			}
		}
	}
	file, _ := s.file(p)
	c := s.check(file)
	for _, f := range c.faults { // other faults are reported when the whole cell is checked
		if strings.Contains(f.Msg, "initialization cycle") {
			return head
		}
	}
	out := zeros
	for _, init := range c.info.InitOrder {
		spec := specOf[init.Rhs]
		if spec == nil {
			continue // a variable added by the session
		}
		values--
		if len(spec.Names) == len(spec.Values) && len(spec.Names) > 1 {
			for i, v := range spec.Values {
				if v == init.Rhs {
					spec = &ast.ValueSpec{Names: spec.Names[i : i+1], Type: spec.Type, Values: spec.Values[i : i+1]}
				}
			}
		}
		out = append(out, varStmt(spec))
	}
	if values > 0 {
		return head
	}
	return out
}

func varDeclOf(spec *ast.ValueSpec) *ast.GenDecl {
	return &ast.GenDecl{TokPos: spec.Pos(), Tok: token.VAR, Specs: []ast.Spec{spec}}
}

func varStmt(spec *ast.ValueSpec) ast.Stmt { return &ast.DeclStmt{Decl: varDeclOf(spec)} }

func addNames(set map[string]bool, spec *ast.ValueSpec) {
	for _, id := range spec.Names {
		set[id.Name] = true
	}
}

// needsLater reports whether a variable declared in head, a list of statements, may need one that is declared later.
func needsLater(e *env, head []ast.Stmt) bool {
	later := map[string]bool{}
	for i := len(head) - 1; i >= 0; i-- {
		specs := varSpecs(head[i])
		for j := len(specs) - 1; j >= 0; j-- {
			spec := specs[j]
			if len(spec.Values) > 1 { // a value of the spec may need the next variable
				addNames(later, spec)
			}
			if len(later) > 0 && len(spec.Values) > 0 && anyOf(reached(e, varDeclOf(spec)), later) {
				return true
			}
			addNames(later, spec)
		}
	}
	return false
}
