package goprogram

import (
	"go/ast"
	"go/token"
	"slices"

	"overcomplete/kernel/cellsyntax"
)

// The variables of a cell are initialized in Go's order, as in a session: see arrange in package ixengine.
// ixengine gets the dependencies from the type checker; this package derives them from names.

// arrange puts the parts of a cell into the order in which they run, and adds calls of the cell's init
// functions. It renames these functions, because real init functions would run before main sets the variables
// that they use.
func (n *names) arrange(c *cell) {
	var head []int // the var declarations before the first statement of another kind
	var inits []*part
	inHead := true
	for i, p := range c.parts {
		switch {
		case p.kind == declPart:
			n.note(p.decl)
			if f, ok := p.decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				inits = append(inits, p)
			}
		case p.kind == stmtPart && declaresVars(p) && inHead:
			head = append(head, i)
		case p.kind == stmtPart && p.stmt != nil || p.kind == commandPart:
			inHead = false
		}
	}
	var list []*part
	for _, i := range head {
		list = append(list, c.parts[i])
	}
	for k, p := range n.inGoOrder(list) {
		c.parts[head[k]] = p
	}
	if len(inits) == 0 {
		return
	}
	at := 0
	if len(head) > 0 {
		at = head[len(head)-1] + 1
	}
	var calls []*part
	for _, p := range inits {
		needs := n.reached(p.decl)
		for i, st := range c.parts {
			if st.stmt != nil && slices.ContainsFunc(cellsyntax.Variables([]ast.Stmt{st.stmt}), func(id *ast.Ident) bool { return needs[id.Name] }) {
				at = max(at, i+1)
			}
		}
		e := &entity{name: "init", fun: true, part: p}
		n.name(e)
		p.refs = append(p.refs, ref{off: p.offset(p.decl.(*ast.FuncDecl).Name.Pos()), name: "init", ent: e})
		call, _ := goParts("init()", false)
		call[0].cell, call[0].refs = c, []ref{{name: "init", ent: e}}
		calls = append(calls, call[0])
	}
	c.parts = slices.Insert(c.parts, at, calls...)
}

func declaresVars(p *part) bool {
	d, ok := p.stmt.(*ast.DeclStmt)
	return ok && d.Decl.(*ast.GenDecl).Tok == token.VAR
}

// inGoOrder sorts the given parts so that each part follows the parts that it depends on. The sort is stable. If there
// is a cycle, the order is unchanged.
func (n *names) inGoOrder(list []*part) []*part {
	var out []*part
	for rest := slices.Clone(list); len(rest) > 0; {
		i := slices.IndexFunc(rest, func(p *part) bool {
			needs := n.reached(p.stmt)
			return !slices.ContainsFunc(rest, func(q *part) bool {
				return q != p && slices.ContainsFunc(cellsyntax.Variables([]ast.Stmt{q.stmt}), func(id *ast.Ident) bool { return needs[id.Name] })
			})
		})
		if i < 0 {
			return list
		}
		out = append(out, rest[i])
		rest = slices.Delete(rest, i, i+1)
	}
	return out
}

// note records a declaration under each name that it declares. A method is recorded by its name alone, because a call
// does not show the type of the receiver.
func (n *names) note(d ast.Decl) {
	var list []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		list = append(list, d.Name.Name)
	default:
		list = cellsyntax.Declared(d)
	}
	for _, name := range list {
		n.mentions[name] = append(n.mentions[name], d)
	}
}

// reached returns the names mentioned by a node, and, recursively, by the declarations of these names.
func (n *names) reached(node ast.Node) map[string]bool {
	found := map[string]bool{}
	var visit func(node ast.Node)
	visit = func(node ast.Node) {
		for x := range ast.Preorder(node) {
			if id, ok := x.(*ast.Ident); ok && !found[id.Name] {
				found[id.Name] = true
				for _, d := range n.mentions[id.Name] {
					visit(d)
				}
			}
		}
	}
	visit(node)
	return found
}
