package ixengine

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"overcomplete/kernel/engine"
)

// Declarations returns cells that repeat the session's declarations; see engine.Loader.
//
// Each cell keeps its name and its declarations, with spaces in place of everything else, so that line
// numbers stay the same. Cells are ordered by dependency. If redeclarations have made cells depend on each
// other in a cycle, these cells are merged into one cell, which has the name of the last of them and line
// numbers of its own. Declarations that do not compile without the session's variables are left out.
func (s *Session) Declarations() []engine.Cell {
	s.introspection.running.Lock()
	defer s.introspection.running.Unlock()
	s.debug.building.Lock()
	defer s.debug.building.Unlock()
	list := s.independent()
	var cells []engine.Cell
	if text := s.importText(); text != "" {
		cells = append(cells, engine.Cell{Name: "imports", Source: text})
	}
	for _, group := range groups(list) {
		cells = append(cells, s.declaring(group))
	}
	return cells
}

// importText returns the session's imports as the source of a cell.
func (s *Session) importText() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.env.imports)) {
		path := s.env.imports[name]
		if s.opt.Predeclared[name] != path {
			fmt.Fprintf(&b, "import %s %s\n", name, strconv.Quote(path))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(s.env.dots)) {
		fmt.Fprintf(&b, "import . %s\n", strconv.Quote(path))
	}
	return b.String()
}

// independent returns the session's declarations that compile without its variables, ordered by version.
func (s *Session) independent() []*decl {
	e := s.env.clone()
	clear(e.vars)
	all := e.declarations()
	p := &program{env: e, kept: all}
	if _, _, fail := s.checkProgram(p, nil); fail != nil { // the fault is not in any of the declarations
		return nil
	}
	return slices.DeleteFunc(all, func(d *decl) bool { return p.omit[d] })
}

// A group is a set of declarations that belong in one cell.
type group struct {
	decls []*decl
	cells []string // the cells they come from, in order
}

// groups returns the declarations in list, grouped by cell. The groups are ordered so that each group needs only
// earlier ones. Cells that need each other in a cycle form one group.
func groups(list []*decl) []group {
	var cells []string // names of the cells, in the order of their first declarations
	of := map[string][]*decl{}
	cellOf := map[string]string{} // cells by name
	for _, d := range list {
		if of[d.cell] == nil {
			cells = append(cells, d.cell)
		}
		of[d.cell] = append(of[d.cell], d)
		for _, name := range d.names {
			cellOf[name] = d.cell
		}
	}
	needs := map[string][]string{}
	need := func(cell, other string) {
		if other != "" && other != cell && !slices.Contains(needs[cell], other) {
			needs[cell] = append(needs[cell], other)
		}
	}
	for _, d := range list {
		for name := range d.refs {
			need(d.cell, cellOf[name])
		}
		if d.recv != "" {
			need(d.cell, cellOf[d.recv])
		}
	}
	for _, c := range needs {
		slices.SortFunc(c, func(a, b string) int { return cmp.Compare(slices.Index(cells, a), slices.Index(cells, b)) })
	}
	var out []group
	for _, circle := range components(cells, needs) {
		slices.SortFunc(circle, func(a, b string) int { return cmp.Compare(slices.Index(cells, a), slices.Index(cells, b)) })
		g := group{cells: circle}
		for _, c := range circle {
			g.decls = append(g.decls, of[c]...)
		}
		out = append(out, g)
	}
	return out
}

// components returns the strongly connected components of a graph, each after those on which it depends
// (Tarjan's algorithm).
func components(nodes []string, needs map[string][]string) (out [][]string) {
	index, low := map[string]int{}, map[string]int{}
	on := map[string]bool{}
	var stack []string
	var visit func(v string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack, on[v] = append(stack, v), true
		for _, w := range needs[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] < index[v] {
			return
		}
		i := slices.Index(stack, v)
		for _, w := range stack[i:] {
			on[w] = false
		}
		out = append(out, slices.Clone(stack[i:]))
		stack = stack[:i]
	}
	for _, v := range nodes {
		if index[v] == 0 {
			visit(v)
		}
	}
	return out
}

// declaring returns the cell that declares a group.
func (s *Session) declaring(g group) engine.Cell {
	name := g.cells[len(g.cells)-1]
	if len(g.cells) == 1 {
		if text, ok := s.blanked(name, g.decls); ok {
			return engine.Cell{Name: name, Source: text}
		}
	}
	var texts []string
	for _, d := range g.decls {
		texts = append(texts, s.sourceOf(d))
	}
	return engine.Cell{Name: name, Source: strings.Join(texts, "\n")}
}

// sourceOf returns the formatted source of a declaration. In a const group, a name that was redeclared
// elsewhere is replaced by the blank identifier.
func (s *Session) sourceOf(d *decl) string {
	if d.tok == token.CONST {
		return s.text(d.node)
	}
	return d.text
}

// blanked returns a cell's text with spaces in place of everything but the declarations in list and the comments above
// them. The second result is false if the text cannot be used, for example because a declaration no longer matches the
// text.
func (s *Session) blanked(cell string, list []*decl) (string, bool) {
	text := s.sources.cell(cell).Source
	out := []byte(text)
	for i, c := range out {
		if c != '\n' && c != '\r' {
			out[i] = ' '
		}
	}
	at := lineOffsets(text)
	offset := func(pos token.Pos) int {
		p := s.ctx.FileSet.Position(pos)
		if p.Filename != cell || p.Line < 1 || p.Line > len(at) {
			return -1
		}
		return at[p.Line-1] + p.Column - 1
	}
	for _, d := range list {
		node := d.node
		from, to := offset(node.Pos()), -1
		keyword := ""
		if g, ok := node.(*ast.GenDecl); ok && d.tok == token.TYPE {
			// A type declared in a parenthesized list gets its own keyword.
			spec := g.Specs[0].(*ast.TypeSpec)
			start := offset(spec.Name.Pos())
			if start < 0 || from < 0 || strings.TrimSpace(text[min(from+len("type"), start):start]) != "" {
				keyword, from = "type ", start
			}
			to = offset(spec.End()-1) + 1
		} else {
			to = offset(node.End()-1) + 1
		}
		if from < 0 || to <= from || to > len(text) {
			return "", false
		}
		if g, ok := node.(*ast.GenDecl); ok && d.tok == token.CONST && hasBlanked(g, text, offset) {
			return "", false
		}
		if keyword != "" {
			line := strings.LastIndexByte(text[:from], '\n') + 1
			if from-line < len(keyword) || len(strings.TrimSpace(string(out[line:from]))) > 0 {
				return "", false
			}
			copy(out[from-len(keyword):], keyword)
		}
		copy(out[from:to], text[from:to])
		for doc := docStart(text, from); doc < from; doc++ {
			if keyword == "" {
				out[doc] = text[doc]
			}
		}
	}
	return strings.TrimRight(string(out), " \t\r\n"), true
}

// hasBlanked reports whether the const group g now has the blank identifier in place of a name that is in its text,
// because another cell has redeclared that name.
func hasBlanked(g *ast.GenDecl, text string, offset func(token.Pos) int) bool {
	for _, spec := range g.Specs {
		for _, id := range spec.(*ast.ValueSpec).Names {
			if i := offset(id.Pos()); i < 0 || !strings.HasPrefix(text[i:], id.Name) {
				return true
			}
		}
	}
	return false
}

// docStart returns where the declaration at offset begins together with its comments: the start of the line comments
// directly above it or, without comments, the start of its line. If other code precedes the declaration on its line,
// docStart returns offset.
func docStart(text string, offset int) int {
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	if strings.TrimSpace(text[start:offset]) != "" {
		return offset
	}
	for start > 0 {
		before := strings.LastIndexByte(text[:start-1], '\n') + 1
		if !strings.HasPrefix(strings.TrimSpace(text[before:start]), "//") {
			break
		}
		start = before
	}
	return start
}

// lineOffsets returns the offsets at which the lines of a text begin.
func lineOffsets(text string) []int {
	at := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			at = append(at, i+1)
		}
	}
	return at
}
