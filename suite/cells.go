package suite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"maps"
	"slices"
	"strings"

	"overcomplete/internal/module"
	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/lineage"
	"overcomplete/kernel/magic"
	"overcomplete/kernel/notebook"
)

// A cell is a parsed code cell of a notebook.
type cell struct {
	*notebook.Cell
	place int // position among all cells of the notebook, from 0
	// declares holds the names that the cell declares or assigns. mentions holds the names that the cell reads or
	// assigns and that other cells declare. fields holds the names that follow a dot.
	declares, mentions, fields map[string]bool
	// opaque is set if the cell cannot be parsed, or has commands. It may depend on all earlier
	// cells, and all later cells may depend on it.
	opaque bool
	tree   *cellsyntax.Tree // nil if opaque
	source string           // printed without comments
	// values holds the parameters that the cell declares, if it has the tag parameters. literal says whether the cell
	// only assigns literals to them.
	values  map[string]string
	literal bool
	// imports has the imported paths by name.
	imports map[string]string
	// selected holds, for each package, the names X in package.X.
	selected map[string]map[string]bool
	// acts says whether the cell may change a package-level variable.
	acts bool

	opens   *opening // set if the cell opens a lab
	lab     *opening // set if the cell is an experiment: the lab on which it calls methods
	methods []string // the called methods of that lab, in the order of the calls
}

func (c *cell) isExperiment() bool { return c.lab != nil }

// An opening describes the statement with which a cell opens a lab: `lab, err := pkg.New(...)`.
type opening struct {
	at       int    // index in the list of cells
	variable string // lab
	pkg      string // import path
	given    string // the arguments of New
	plain    bool   // the cell does not use the lab further, and changes no package-level variable
}

// read reads the code cells of a notebook.
func read(nb *notebook.Notebook) []*cell {
	var cells []*cell
	imports := map[string]string{} // imports of all cells read so far
	parameters := headless.ParametersCell(nb)
	for i, c := range nb.Cells {
		if c.Type != notebook.Code || strings.TrimSpace(c.Source) == "" {
			continue
		}
		r := &cell{Cell: c, place: i, declares: map[string]bool{}, mentions: map[string]bool{}, fields: map[string]bool{},
			imports: map[string]string{}, selected: map[string]map[string]bool{}}
		r.parse(imports, i == parameters)
		cells = append(cells, r)
		r.openLab(len(cells)-1, imports)
		r.recognize(cells[:len(cells)-1])
	}
	return cells
}

// parse parses the source of a cell. The map called imports has the imports of earlier cells; parse adds the cell's own
// imports to it. If the argument called parameters is true, the cell is the one with the notebook's parameters, and
// parse also reads their values.
func (c *cell) parse(imports map[string]string, parameters bool) {
	c.source = c.Source
	scanned := magic.Read(c.Source)
	pieces, fault := scanned.Pieces(nil)
	for _, p := range pieces {
		// %params has the same meaning as the tag parameters.
		if p.Command != nil && p.Command.Name != "%params" {
			c.opaque = true
		}
	}
	tree, err := cellsyntax.Parse(token.NewFileSet(), c.ID, magic.Blank(c.Source, nil))
	names, err2 := lineage.ReadText(scanned)
	if fault != nil || err != nil || err2 != nil || tree.IsProgram || tree.RunsMain() {
		c.opaque = true
	}
	if c.opaque {
		return
	}
	for _, i := range names.Imports {
		if i.Name == "." { // the package's names cannot be recognized
			c.opaque = true
			return
		}
		name := i.Name
		if name == "" {
			name = i.Names()[0]
		}
		c.imports[name], imports[name] = i.Path, i.Path
	}
	for _, name := range names.Declares() {
		// A method declares its own name, which x.Method() mentions, and the name of its type.
		for _, part := range strings.Split(name, ".") {
			c.declares[part] = true
		}
	}
	uses := []lineage.Use{names.Statements}
	for _, d := range names.Decls {
		uses = append(uses, d.Use)
	}
	for _, u := range uses {
		for name := range u.Reads {
			c.mentions[name] = true
		}
		for name := range u.Assigns {
			c.mentions[name], c.declares[name] = true, true
			c.acts = c.acts || imports[name] != "" // pkg.Variable = x
		}
	}
	c.tree = tree
	c.print()
	for _, n := range c.nodes() {
		ast.Inspect(n, func(n ast.Node) bool { c.note(n, imports); return true })
	}
	if parameters {
		c.values = parameterValues(tree.Stmts)
		c.literal = len(c.imports) == 0 && onlyLiterals(tree)
	}
}

// nodes returns the declarations and statements of a cell.
func (c *cell) nodes() []ast.Node {
	var nodes []ast.Node
	for _, d := range c.tree.Decls {
		nodes = append(nodes, d)
	}
	for _, s := range c.tree.Stmts {
		nodes = append(nodes, s)
	}
	return nodes
}

// print sets c.source to the cell's code without comments.
func (c *cell) print() {
	var text strings.Builder
	for _, n := range c.nodes() {
		printer.Fprint(&text, token.NewFileSet(), n) // printing a parsed tree cannot fail
		text.WriteByte('\n')
	}
	for _, name := range slices.Sorted(maps.Keys(c.imports)) {
		fmt.Fprintf(&text, "%s=%s\n", name, c.imports[name])
	}
	c.source = text.String()
}

// note stores in the cell which names the node n selects from packages, as in pkg.Name, and whether n may change a
// package-level variable. imports maps package names to import paths.
func (c *cell) note(n ast.Node, imports map[string]string) {
	pkg := func(e ast.Expr) string {
		if id, ok := e.(*ast.Ident); ok {
			return imports[id.Name]
		}
		return ""
	}
	statement := func(e ast.Expr) { // pkg.Use(3), whose result is not used
		if call, ok := e.(*ast.CallExpr); ok {
			if f, ok := call.Fun.(*ast.SelectorExpr); ok {
				if p := pkg(f.X); module.Has(p) && !shows(p) {
					c.acts = true
				}
			}
		}
	}
	switch n := n.(type) {
	case *ast.SelectorExpr:
		c.fields[n.Sel.Name] = true
		if p := pkg(n.X); p != "" {
			if c.selected[p] == nil {
				c.selected[p] = map[string]bool{}
			}
			c.selected[p][n.Sel.Name] = true
		}
	case *ast.UnaryExpr:
		if id := cellsyntax.Root(n.X); n.Op == token.AND && id != nil && imports[id.Name] != "" {
			c.acts = true // the cell may set a variable through its address
		}
	case *ast.ExprStmt:
		statement(n.X)
	case *ast.GoStmt:
		statement(n.Call)
	case *ast.DeferStmt:
		statement(n.Call)
	}
}

// shows reports whether the functions of a package of the project only show their arguments.
func shows(pkg string) bool {
	switch pkg {
	case module.Package("ui/display"), module.Package("ui/widget"),
		module.Package("kernel-helpers/check"), module.Package("kernel-helpers/figure"), module.Package("kernel-helpers/gallery"):
		return true
	}
	return false
}

// onlyLiterals reports whether a cell only assigns literals to variables.
func onlyLiterals(tree *cellsyntax.Tree) bool {
	constant := func(list []ast.Expr) bool {
		return !slices.ContainsFunc(list, func(e ast.Expr) bool {
			if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.SUB {
				e = u.X
			}
			switch e := e.(type) {
			case *ast.BasicLit:
				return false
			case *ast.Ident:
				return e.Name != "true" && e.Name != "false"
			}
			return true
		})
	}
	seen := map[string]bool{}
	once := func(names ...ast.Expr) bool {
		for _, n := range names {
			id, ok := n.(*ast.Ident)
			if !ok || seen[id.Name] {
				return false
			}
			seen[id.Name] = true
		}
		return true
	}
	for _, s := range tree.Stmts {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE || len(s.Lhs) != len(s.Rhs) || !constant(s.Rhs) || !once(s.Lhs...) {
				return false
			}
		case *ast.DeclStmt:
			if !isLiteralVar(s.Decl, constant, once) {
				return false
			}
		default:
			return false
		}
	}
	for _, d := range tree.Decls {
		if !isLiteralVar(d, constant, once) {
			return false
		}
	}
	return true
}

func isLiteralVar(d ast.Decl, constant func([]ast.Expr) bool, once func(...ast.Expr) bool) bool {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return false
	}
	for _, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		if len(v.Values) != len(v.Names) || !constant(v.Values) {
			return false
		}
		for _, id := range v.Names {
			if !once(id) {
				return false
			}
		}
	}
	return true
}

// parameterValues returns the values that the statements give to variables, by name: the source text of the expression
// in name = expr, name := expr or var name = expr.
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

// papers is the prefix of the import paths of packages with labs.
var papers = module.Package("paper/")

// openLab finds the statement `lab, err := pkg.New(...)`, where pkg is a paper's package, and sets c.opens.
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
			c.opens = &opening{at: at, variable: id.Name, pkg: imports[p.Name], given: joinExprs(call.Args), plain: !c.acts && len(c.tree.Decls) == 0 && c.occurrences(id.Name) == 1}
		}
	}
}

// occurrences returns how often a name occurs in the cell.
func (c *cell) occurrences(name string) (n int) {
	for _, node := range c.nodes() {
		ast.Inspect(node, func(x ast.Node) bool {
			if id, ok := x.(*ast.Ident); ok && id.Name == name {
				n++
			}
			return true
		})
	}
	return n
}

// recognize marks the cell as an experiment if it only calls methods of a lab or shows the result of an experiment.
// The cells before it determine which variables hold labs and results.
func (c *cell) recognize(before []*cell) {
	if c.opaque || c.opens != nil || c.values != nil || len(c.tree.Imports)+len(c.tree.Decls) > 0 || len(c.tree.Stmts) == 0 {
		return
	}
	labs, results := map[string]*opening{}, map[string]*opening{}
	for _, b := range before {
		for name := range b.declares {
			delete(results, name)
			switch {
			case b.opens != nil && b.opens.variable == name:
				labs[name] = b.opens
			case b.isExperiment():
				results[name] = b.lab
			}
		}
	}
	var lab *opening
	var methods []string
	// isGiven reports whether an expression is the result of an experiment, or a part of that result.
	var isGiven func(e ast.Expr) bool
	isGiven = func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.Ident:
			if o := results[e.Name]; o != nil {
				lab = o
				return true
			}
		case *ast.SelectorExpr:
			return isGiven(e.X)
		case *ast.CallExpr:
			s, ok := e.Fun.(*ast.SelectorExpr)
			if !ok || !arePlain(e.Args) {
				return false
			}
			if id, ok := s.X.(*ast.Ident); ok && labs[id.Name] != nil {
				lab = labs[id.Name]
				methods = append(methods, s.Sel.Name)
				return true
			}
			return isGiven(s.X)
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
			ok = isGiven(e)
		case *ast.AssignStmt:
			ok = s.Tok == token.DEFINE && len(s.Rhs) == 1 && isGiven(s.Rhs[0])
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
}

// arePlain reports whether the arguments contain no calls and no function literals.
func arePlain(args []ast.Expr) bool {
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

// needs returns the indices of the cells on which cell i depends, directly or indirectly, because they declare or
// assign names that it reads. Changes through pointers do not count.
func needs(cells []*cell, i int) []int {
	want := map[int]bool{}
	var visit func(i int)
	visit = func(i int) {
		for j := range i {
			d := cells[j].declares
			if !want[j] && (cells[i].opaque || cells[j].opaque || intersect(d, cells[i].mentions) || intersect(d, cells[i].fields)) {
				want[j] = true
				visit(j)
			}
		}
	}
	visit(i)
	return slices.Sorted(maps.Keys(want))
}
