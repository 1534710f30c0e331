package ixengine

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	cellFunc  = "cell__"
	oldSuffix = "__old"
	newSuffix = "__new"

	// dotted is the path prefix of a package that is imported with a dot and leaves out the names that the program
	// declares.
	dotted = "kernel/dot/"
)

// A program describes a small Go program that is made for a cell, from the cell's own code and the declarations,
// variables and imports of the session that this code needs.
type program struct {
	env  *env
	own  []*decl // declared by the cell itself, always included
	body []ast.Stmt
	// bodiless omits the bodies of functions. The rest suffices to find the types of the cell's variables.
	// The bodies may mention these variables.
	bodiless bool
	// omit holds declarations of earlier cells that no longer type-check. lost holds variables with types
	// that no longer type-check.
	omit map[*decl]bool
	lost map[*variable]bool
	// extra holds additional declarations (hidden variables).
	extra []ast.Decl
	// oldVars and oldImports hold the previous meanings of names that the cell's statements use and the cell redefines.
	// In the program, these meanings have other names, such as x__old for x.
	oldVars    map[string]*variable
	oldImports map[string]string
	// renamed holds variables of the cell that have other names in the program, such as x__new for x, because
	// x is also a function (in kept) or a builtin that the statements use.
	renamed map[*variable]bool
	kept    []*decl
	// forms maps declarations to the debug forms that replace them.
	forms map[*decl]*decl
	// bound holds the addresses of those variables in extra that already exist, by the variables' names. hostFuncs
	// holds functions of the host package.
	bound     map[string]any
	hostFuncs map[string]any
}

// inDebugForm returns a copy of list in which debug forms (see debug_form.go) replace the declarations that have one.
func (p *program) inDebugForm(list []*decl) []*decl {
	out := make([]*decl, len(list))
	for i, d := range list {
		if out[i] = d; p.forms[d] != nil {
			out[i] = p.forms[d]
		}
	}
	return out
}

// nameOf returns the name that the program uses for a session variable.
func (p *program) nameOf(v *variable) string {
	if p.renamed[v] {
		return v.name + newSuffix
	}
	return v.name
}

// A reach holds the declarations, variables and imports of the session that a program includes.
type reach struct {
	decls   []*decl // sorted by version
	vars    []*variable
	imports []string
	lost    []*variable // variables that the program mentions, with a type that no longer exists
}

// reachable returns what the program needs from the session. It follows names from the cell's own code through
// declarations and the types of variables. Without this selection every program would include the whole notebook.
func (p *program) reachable() reach {
	var r reach
	seenName := map[string]bool{}
	seenDecl := map[*decl]bool{}
	var follow func(name string)
	include := func(d *decl) {
		if f := p.forms[d]; f != nil {
			d = f
		}
		if seenDecl[d] || p.omit[d] {
			return
		}
		seenDecl[d] = true
		r.decls = append(r.decls, d)
		for name := range d.refs {
			follow(name)
		}
	}
	typ := func(t types.Type) {
		walkNamed(t, func(n *types.Named) {
			if isTopLevel(n) {
				follow(n.Obj().Name())
			}
		})
	}
	follow = func(name string) {
		if seenName[name] {
			return
		}
		seenName[name] = true
		if _, ok := p.env.imports[name]; ok {
			r.imports = append(r.imports, name)
		}
		if v := p.env.vars[name]; v != nil && !p.lost[v] && p.env.has(v.typ) {
			r.vars = append(r.vars, v)
			typ(v.typ)
		} else if v != nil {
			r.lost = append(r.lost, v)
		}
		if d := p.env.decls[name]; d != nil {
			include(d)
			if d.tok == token.TYPE {
				for _, m := range p.env.methods(name) {
					include(m)
				}
			}
		}
	}
	for _, d := range p.kept {
		include(d)
	}
	for v := range p.renamed {
		follow(v.name)
	}
	for _, d := range p.own {
		include(d)
		if d.recv != "" {
			follow(d.recv)
		}
		for _, name := range d.names {
			follow(name)
		}
	}
	for _, st := range p.body {
		for name := range refsOf(st) {
			follow(name)
		}
	}
	for _, d := range p.extra {
		for name := range refsOf(d) {
			follow(name)
		}
	}
	for _, v := range p.oldVars {
		typ(v.typ)
	}
	slices.SortFunc(r.decls, func(a, b *decl) int { return a.id - b.id })
	slices.SortFunc(r.vars, func(a, b *variable) int { return strings.Compare(a.name, b.name) })
	slices.Sort(r.imports)
	return r
}

// file returns the syntax tree of the program p, and the part of the session that it includes.
func (s *Session) file(p *program) (*ast.File, reach) {
	r := p.reachable()
	f := &ast.File{Name: ident("main")}
	imp := func(name, path string) {
		spec := &ast.ImportSpec{Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}}
		spec.Name = ident(name)
		f.Decls = append(f.Decls, &ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{spec}})
		f.Imports = append(f.Imports, spec)
	}
	imp(hostName, hostPath)
	for _, name := range r.imports {
		imp(name, p.env.imports[name])
	}
	s.hidden = map[string]bool{}
	for _, d := range r.decls {
		for _, name := range d.names {
			s.hidden[name] = true
		}
	}
	for _, v := range r.vars {
		s.hidden[p.nameOf(v)] = true
	}
	for _, path := range slices.Sorted(maps.Keys(p.env.dots)) {
		imp(".", dotted+path)
	}
	for name, path := range p.oldImports {
		imp(name+oldSuffix, path)
	}
	var typs []types.Type
	for i, v := range r.vars {
		t := s.typeExpr(v.typ)
		s.place(t, i)
		f.Decls = append(f.Decls, varDecl(p.nameOf(v), t))
		typs = append(typs, v.typ)
	}
	for name, v := range p.oldVars {
		f.Decls = append(f.Decls, varDecl(name+oldSuffix, s.typeExpr(v.typ)))
		typs = append(typs, v.typ)
	}
	s.host.setImports(typs)
	for _, d := range r.decls {
		node := d.node
		if fn, ok := node.(*ast.FuncDecl); ok && p.bodiless {
			c := *fn
			c.Body = nil
			node = &c
		}
		f.Decls = append(f.Decls, node)
		if d.hookDecl != nil && !p.bodiless {
			f.Decls = append(f.Decls, d.hookDecl)
		}
	}
	f.Decls = append(f.Decls, p.extra...)
	f.Decls = append(f.Decls, &ast.FuncDecl{
		Name: ident(cellFunc),
		Type: &ast.FuncType{Params: &ast.FieldList{}},
		Body: &ast.BlockStmt{List: p.body},
	})
	return f, r
}

// place gives all names in t a position that encodes i, so that variableAt can find the variable from that position.
// The expression t is the type of the program's variable with index i.
func (s *Session) place(t ast.Expr, i int) {
	pos := s.varFile.Pos(min(i, s.varFile.Size()-1))
	ast.Inspect(t, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			id.NamePos = pos
		}
		return true
	})
}

// variableAt returns the variable whose type is at pos, or nil if there is no such variable.
func (s *Session) variableAt(r reach, pos token.Pos) *variable {
	if i := int(pos) - s.varFile.Base(); i >= 0 && i < min(s.varFile.Size()-1, len(r.vars)) {
		return r.vars[i]
	}
	return nil
}

// definitions returns the identifiers of the variables that the cell's statements declare at their top level, in source
// order. The types of the variables are in c.
func definitions(body []ast.Stmt, c *checkedProgram) (ids []*ast.Ident) {
	take := func(id *ast.Ident) {
		if v, ok := c.info.Defs[id].(*types.Var); ok && v != nil && id.Name != "_" {
			ids = append(ids, id)
		}
	}
	for _, st := range body {
		switch st := st.(type) {
		case *ast.AssignStmt:
			if st.Tok == token.DEFINE {
				for _, l := range st.Lhs {
					if id, ok := l.(*ast.Ident); ok {
						take(id)
					}
				}
			}
		case *ast.DeclStmt:
			for _, spec := range varSpecs(st) {
				for _, id := range spec.Names {
					take(id)
				}
			}
		}
	}
	return ids
}

// assignments turns the declarations at the cell's top level into assignments to package variables: x := e into x = e,
// var x T = e into x = e, and var x T into x = zero. Here zero is a hidden variable. The result zeros holds the
// declarations of all such variables.
func assignments(body []ast.Stmt) (out []ast.Stmt, zeros []ast.Decl) {
	for _, st := range body {
		switch st := st.(type) {
		case *ast.AssignStmt:
			if st.Tok == token.DEFINE {
				c := *st
				c.Tok = token.ASSIGN
				out = append(out, &c)
				continue
			}
		case *ast.DeclStmt:
			if g, ok := st.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, spec := range g.Specs {
					stmts, zero := assignSpec(spec.(*ast.ValueSpec), len(zeros))
					out = append(out, stmts...)
					zeros = append(zeros, zero...)
				}
				continue
			}
		}
		out = append(out, st)
	}
	return out, zeros
}

func assignSpec(v *ast.ValueSpec, n int) (stmts []ast.Stmt, zeros []ast.Decl) {
	named := false
	var lhs []ast.Expr
	for _, id := range v.Names {
		named = named || id.Name != "_"
		lhs = append(lhs, id)
	}
	if !named {
		// var _ T = e checks that e is a T; this declaration stays unchanged.
		return []ast.Stmt{varStmt(v)}, nil
	}
	if len(v.Values) > 0 {
		return []ast.Stmt{&ast.AssignStmt{Lhs: lhs, TokPos: v.Pos(), Tok: token.ASSIGN, Rhs: v.Values}}, nil
	}
	name := "zero__" + strconv.Itoa(n)
	zeros = append(zeros, varDecl(name, v.Type))
	for _, l := range lhs {
		stmts = append(stmts, &ast.AssignStmt{Lhs: []ast.Expr{l}, TokPos: v.Pos(), Tok: token.ASSIGN, Rhs: []ast.Expr{ident(name)}})
	}
	return stmts, zeros
}
