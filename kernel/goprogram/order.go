package goprogram

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"overcomplete/kernel/cellsyntax"
)

// The variables of a cell are initialized in Go's order, as in a session: see arrange in package ixengine.
// ixengine gets the dependencies from the type checker; this package derives them from names.

// arrange puts the parts of a cell into the order in which they run, and adds calls to the cell's init
// functions. It renames these functions, because real init functions would run before main sets the variables
// that they use.
func (n *names) arrange(c *cell) {
	var head, rest []*part // the var declarations before the first statement of another kind; the other parts
	var inits []*part
	at := -1 // where the head begins
	inHead := true
	for i, p := range c.parts {
		switch {
		case p.kind == declPart:
			n.note(p.decl)
			if f, ok := p.decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				inits = append(inits, p)
			}
		case p.kind == stmtPart && declaresVars(p) && inHead:
			if len(head) == 0 {
				at = i
			}
			head = append(head, p)
			continue
		case p.kind == stmtPart && p.stmt != nil || p.kind == commandPart:
			inHead = false
		}
		rest = append(rest, p)
	}
	if sorted, changed := n.inGoOrder(head); changed {
		head = sorted
		c.parts = slices.Insert(rest, at, head...)
	}
	if len(inits) == 0 {
		return
	}
	at = 0
	if len(head) > 0 {
		at = slices.Index(c.parts, head[len(head)-1]) + 1
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

// inGoOrder sorts var declarations so that each variable follows the variables that it depends on, and reports whether
// this changes their order. If it does, groups of variables are split into single declarations. The sort is stable. If
// there is a cycle, the order is unchanged.
func (n *names) inGoOrder(list []*part) (sorted []*part, changed bool) {
	var rest []*part
	for _, p := range list {
		rest = append(rest, p.ungrouped()...)
	}
	for len(rest) > 0 {
		i := slices.IndexFunc(rest, func(p *part) bool {
			needs := n.reached(p.stmt)
			return !slices.ContainsFunc(rest, func(q *part) bool {
				return q != p && slices.ContainsFunc(cellsyntax.Variables([]ast.Stmt{q.stmt}), func(id *ast.Ident) bool { return needs[id.Name] })
			})
		})
		if i < 0 {
			return list, false
		}
		changed = changed || i > 0
		sorted = append(sorted, rest[i])
		rest = slices.Delete(rest, i, i+1)
	}
	return sorted, changed
}

// ungrouped returns the var declaration p as one declaration for each value. Each keeps the comments before it, and
// those that follow on its line.
func (p *part) ungrouped() []*part {
	g := p.stmt.(*ast.DeclStmt).Decl.(*ast.GenDecl)
	var out []*part
	add := func(lead, code, tail string) {
		parts, err := goParts(lead+"var "+code+tail, false)
		if err != nil {
			panic(err) // the code is part of code that was parsed
		}
		for _, q := range parts {
			q.cell, q.test = p.cell, p.test
			out = append(out, q)
		}
	}
	text := func(n ast.Node) string { return p.text[p.offset(n.Pos()):p.offset(n.End())] }
	lead, after := p.text[:p.from], p.text[p.to:]
	for i, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		tail := ""
		if g.Lparen.IsValid() {
			if i > 0 {
				lead = ""
			}
			begin, limit := p.offset(g.Lparen)+1, p.offset(g.Rparen)
			if i > 0 {
				begin = p.lineEnd(p.offset(g.Specs[i-1].End()), p.offset(v.Pos()))
			}
			if i+1 < len(g.Specs) {
				limit = p.offset(g.Specs[i+1].Pos())
			}
			if own := strings.Trim(p.text[begin:p.offset(v.Pos())], " \t\n;"); own != "" {
				lead += own + "\n"
			}
			tail = strings.TrimRight(p.text[p.offset(v.End()):p.lineEnd(p.offset(v.End()), limit)], " \t\n;")
		}
		if i == len(g.Specs)-1 {
			tail += after
		}
		if len(v.Names) == 1 || len(v.Names) != len(v.Values) {
			add(lead, text(v), tail)
			continue
		}
		typ := ""
		if v.Type != nil {
			typ = " " + text(v.Type)
		}
		for k, name := range v.Names {
			end := ""
			if k == len(v.Names)-1 {
				end = tail
			}
			add(lead, text(name)+typ+" = "+text(v.Values[k]), end)
			lead = ""
		}
	}
	if len(out) < 2 {
		return []*part{p}
	}
	return out
}

// lineEnd returns the end of the line that contains the offset called from, as an offset in the part's text. The
// result is at most limit.
func (p *part) lineEnd(from, limit int) int {
	if i := strings.IndexByte(p.text[from:limit], '\n'); i >= 0 {
		return from + i
	}
	return limit
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
