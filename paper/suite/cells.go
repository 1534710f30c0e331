package suite

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/magic"
	"overcomplete/kernel/notebook"
)

// A cell is a code cell of a notebook, read.
type cell struct {
	*notebook.Cell
	place int // among all cells of the notebook, from 0
	// defines are the names to which the cell gives a meaning or another value,
	// mentions those that it may use.
	defines, mentions map[string]bool
	// opaque is set if the cell cannot be read, or has commands: it may depend on all cells
	// before it and change what all later ones see.
	opaque bool
	tree   *cellsyntax.Tree // nil if opaque
	source string           // printed without comments
	// values are the parameters that the cell declares, in a cell tagged so.
	values map[string]string
	// imports are the paths by the names under which the cell imports them.
	imports map[string]string
	// selected are the names X of package.X, by package.
	selected map[string]map[string]bool

	opens   *opening // set if the cell opens a lab
	lab     *opening // set if the cell is an experiment: the lab that it is one of
	methods []string // of that lab, in the order in which the cell calls them
}

func (c *cell) experiment() bool { return c.lab != nil }

// An opening is a cell's lab, err := pkg.New(...).
type opening struct {
	at       int    // index in the list of cells
	variable string // lab
	pkg      string // import path
}

// tagParameters is the tag of the cell with the notebook's parameters.
const tagParameters = "parameters"

// read reads the code cells of a notebook.
func read(nb *notebook.Notebook) []*cell {
	var cells []*cell
	imports := map[string]string{} // of all cells so far
	for i, c := range nb.Cells {
		if c.Type != notebook.Code || strings.TrimSpace(c.Source) == "" {
			continue
		}
		r := &cell{Cell: c, place: i, defines: map[string]bool{}, mentions: map[string]bool{}, imports: map[string]string{}, selected: map[string]map[string]bool{}}
		r.parse(imports)
		cells = append(cells, r)
		r.openLab(len(cells)-1, imports)
		r.recognise(cells[:len(cells)-1])
	}
	return cells
}

func (c *cell) parse(imports map[string]string) {
	fset := token.NewFileSet()
	pieces, fault := magic.Parse(c.Source, nil)
	for _, p := range pieces {
		// %params says what the tag parameters says.
		if p.Command != nil && p.Command.Name != "%params" {
			c.opaque = true
		}
	}
	tree, err := cellsyntax.Parse(fset, c.ID, magic.Blank(c.Source, nil))
	if fault != nil || err != nil || c.opaque || tree.IsProgram {
		c.opaque, c.source = true, c.Source
		return
	}
	for _, s := range tree.Imports {
		p, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			c.opaque = true
			return
		}
		name := importName(p)
		if s.Name != nil {
			name = s.Name.Name
		}
		c.imports[name], imports[name] = p, p
		c.defines[name] = true
	}
	for _, d := range tree.Decls {
		for _, name := range declared(d) {
			c.defines[name] = true
		}
	}
	for _, id := range cellsyntax.Variables(tree.Stmts) {
		c.defines[id.Name] = true
	}
	var nodes []ast.Node
	for _, d := range tree.Decls {
		nodes = append(nodes, d)
	}
	for _, s := range tree.Stmts {
		nodes = append(nodes, s)
	}
	var text bytes.Buffer
	for p, name := range c.imports {
		nodes = append(nodes, &ast.Ident{Name: name + "=" + p}) // sorted below
	}
	slices.SortStableFunc(nodes[len(nodes)-len(c.imports):], func(a, b ast.Node) int {
		return strings.Compare(a.(*ast.Ident).Name, b.(*ast.Ident).Name)
	})
	for k, n := range nodes {
		printer.Fprint(&text, token.NewFileSet(), n) // a tree that was parsed can be printed
		text.WriteByte('\n')
		if k < len(nodes)-len(c.imports) {
			ast.Inspect(n, func(n ast.Node) bool { c.note(n, imports); return true })
		}
	}
	c.source = text.String()
	if slices.Contains(c.Tags(), tagParameters) || strings.Contains(c.Source, "%params") {
		c.values = parameterValues(tree.Stmts)
	}
	c.tree = tree
}

// note collects what a piece of a cell mentions and changes.
func (c *cell) note(n ast.Node, imports map[string]string) {
	change := func(e ast.Expr) {
		if id := root(e); id != nil {
			c.defines[id.Name] = true
		}
	}
	switch n := n.(type) {
	case *ast.Ident:
		c.mentions[n.Name] = true
	case *ast.SelectorExpr:
		if id, ok := n.X.(*ast.Ident); ok && imports[id.Name] != "" {
			p := imports[id.Name]
			if c.selected[p] == nil {
				c.selected[p] = map[string]bool{}
			}
			c.selected[p][n.Sel.Name] = true
		}
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			change(l)
		}
	case *ast.IncDecStmt:
		change(n.X)
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil {
					change(e)
				}
			}
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND { // who has the address may set it
			change(n.X)
		}
	case *ast.ExprStmt: // x.Scale(2) may change x
		if call, ok := n.X.(*ast.CallExpr); ok {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok {
				if id := root(s.X); id != nil && imports[id.Name] == "" && id.Name != "display" {
					c.defines[id.Name] = true
				}
			}
		}
	}
}

// root is the variable that x, x.f, x[i] and *x are a part of, nil for others.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		default:
			return nil
		}
	}
}

func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		for _, f := range d.Recv.List {
			names = append(names, cellsyntax.ReceiverName(f.Type))
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// parameterValues are the expressions that the statements name = expr and name := expr give.
func parameterValues(stmts []ast.Stmt) map[string]string {
	values := map[string]string{}
	put := func(name string, e ast.Expr) {
		var b bytes.Buffer
		printer.Fprint(&b, token.NewFileSet(), e)
		values[name] = b.String()
	}
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.AssignStmt:
			for i, l := range s.Lhs {
				if id, ok := l.(*ast.Ident); ok && len(s.Lhs) == len(s.Rhs) {
					put(id.Name, s.Rhs[i])
				}
			}
		case *ast.DeclStmt:
			d, ok := s.Decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for i, id := range v.Names {
						if i < len(v.Values) {
							put(id.Name, v.Values[i])
						}
					}
				}
			}
		}
	}
	return values
}

// importName is the name that an import without one of its own has, as far as
// its path tells.
func importName(p string) string {
	name := path.Base(p)
	if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = path.Base(path.Dir(p))
	}
	return strings.TrimSuffix(name, ".v1")
}

// papers is the folder, as an import path, whose packages have labs.
const papers = "overcomplete/paper/"

// openLab finds lab, err := pkg.New(...) for a package pkg of a paper.
func (c *cell) openLab(at int, imports map[string]string) {
	if c.opaque {
		return
	}
	for _, s := range c.tree.Stmts {
		a, ok := s.(*ast.AssignStmt)
		if !ok || len(a.Rhs) != 1 || len(a.Lhs) == 0 {
			continue
		}
		id, ok := a.Lhs[0].(*ast.Ident)
		call, ok2 := a.Rhs[0].(*ast.CallExpr)
		if !ok || !ok2 {
			continue
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "New" {
			continue
		}
		if p, ok := sel.X.(*ast.Ident); ok && strings.HasPrefix(imports[p.Name], papers) {
			c.opens = &opening{at: at, variable: id.Name, pkg: imports[p.Name]}
		}
	}
}

// recognise tells whether a cell is an experiment, given those before it.
func (c *cell) recognise(before []*cell) {
	if c.opaque || c.opens != nil || c.values != nil || len(c.tree.Imports)+len(c.tree.Decls) > 0 || len(c.tree.Stmts) == 0 {
		return
	}
	labs, results := map[string]*opening{}, map[string]*opening{}
	for _, b := range before {
		for name := range b.defines {
			delete(results, name)
			switch {
			case b.opens != nil && b.opens.variable == name:
				labs[name] = b.opens
			case b.experiment():
				results[name] = b.lab
			}
		}
	}
	var lab *opening
	var methods []string
	// given tells whether an expression is what an experiment gives, or a part of it.
	var given func(e ast.Expr) bool
	given = func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.Ident:
			if o := results[e.Name]; o != nil {
				lab = o
				return true
			}
		case *ast.SelectorExpr:
			return given(e.X)
		case *ast.CallExpr:
			s, ok := e.Fun.(*ast.SelectorExpr)
			if !ok || !plainArguments(e.Args) {
				return false
			}
			if id, ok := s.X.(*ast.Ident); ok && labs[id.Name] != nil {
				lab = labs[id.Name]
				methods = append(methods, s.Sel.Name)
				return true
			}
			return given(s.X)
		}
		return false
	}
	for _, s := range c.tree.Stmts {
		ok := false
		switch s := s.(type) {
		case *ast.ExprStmt:
			e := s.X
			if call, is := e.(*ast.CallExpr); is && len(call.Args) == 1 {
				if f, is := call.Fun.(*ast.SelectorExpr); is {
					if p, is := f.X.(*ast.Ident); is && p.Name == "display" && f.Sel.Name == "Display" {
						e = call.Args[0]
					}
				}
			}
			ok = given(e)
		case *ast.AssignStmt:
			ok = s.Tok == token.DEFINE && len(s.Rhs) == 1 && given(s.Rhs[0])
			for _, l := range s.Lhs {
				if id, is := l.(*ast.Ident); is && ok {
					results[id.Name] = lab
				}
			}
		}
		if !ok {
			return
		}
	}
	c.lab, c.methods = lab, methods
	for name := range c.defines { // a call as a statement does not change the lab, see doc.go
		if labs[name] != nil {
			delete(c.defines, name)
		}
	}
}

// plainArguments tells whether arguments are made of constants and variables alone.
func plainArguments(args []ast.Expr) bool {
	ok := true
	for _, a := range args {
		ast.Inspect(a, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncLit, *ast.CallExpr:
				ok = false
			}
			return ok
		})
	}
	return ok
}

// needs are the cells, by index, that cell i needs to have run before it, itself
// not among them.
func needs(cells []*cell, i int) []int {
	want := map[int]bool{}
	var visit func(i int)
	visit = func(i int) {
		for j := range i {
			if want[j] {
				continue
			}
			need := cells[i].opaque || cells[j].opaque
			for name := range cells[j].defines {
				need = need || cells[i].mentions[name]
			}
			if need {
				want[j] = true
				visit(j)
			}
		}
	}
	visit(i)
	var list []int
	for j := range i {
		if want[j] {
			list = append(list, j)
		}
	}
	return list
}
