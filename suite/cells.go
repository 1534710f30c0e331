package suite

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"overcomplete/internal/module"
	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/headless"
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
	// changes are names of which the cell may change what they hold, beside defines.
	changes map[string]bool
	// calls are the functions that the cell calls by a name alone.
	calls map[string]bool
	// ours are variables that the cell has only from functions of the project.
	ours map[string]bool
	// acts is set if the cell may change the program itself, a package's variable or the
	// environment: all experiments after it need it.
	acts bool
	// outside is what the cell uses, beside the program, that nothing tells the state of;
	// "" for nothing. What depends on it cannot be kept.
	outside string
	// opaque is set if the cell cannot be read, or has commands: it may depend on all cells
	// before it and change what all later ones see.
	opaque bool
	tree   *cellsyntax.Tree // nil if opaque
	source string           // printed without comments
	// values are the parameters that the cell declares, in a cell tagged so; literal
	// says that it does no more than give them literals.
	values  map[string]string
	literal bool
	// imports are the paths by the names under which the cell imports them.
	imports map[string]string
	// selected are the names X of package.X, by package.
	selected map[string]map[string]bool
	// fields are the names X of variable.X, by variable.
	fields map[string]map[string]bool

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
	given    string // the arguments of New
}

// read reads the code cells of a notebook.
func read(nb *notebook.Notebook) []*cell {
	var cells []*cell
	imports := map[string]string{} // of all cells so far
	alias := aliases{}
	parameters := headless.ParametersCell(nb)
	for i, c := range nb.Cells {
		if c.Type != notebook.Code || strings.TrimSpace(c.Source) == "" {
			continue
		}
		r := &cell{Cell: c, place: i, defines: map[string]bool{}, mentions: map[string]bool{}, changes: map[string]bool{}, calls: map[string]bool{},
			imports: map[string]string{}, selected: map[string]map[string]bool{}, fields: map[string]map[string]bool{}}
		r.parse(imports, i == parameters)
		r.follow(cells, alias, imports)
		cells = append(cells, r)
		r.openLab(len(cells)-1, imports)
		r.recognise(cells[:len(cells)-1])
	}
	return cells
}

func (c *cell) parse(imports map[string]string, parameters bool) {
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
		if name == "." { // nobody sees which names are the package's
			c.opaque, c.source = true, c.Source
			return
		}
		c.imports[name], imports[name] = p, p
		c.defines[name] = true
	}
	for _, d := range tree.Decls {
		// Of a method its own name counts, which x.Method() mentions, and its type's.
		for _, name := range strings.Split(strings.Join(cellsyntax.Declared(d), "."), ".") {
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
	c.ours = given(tree.Stmts, imports)
	for k, n := range nodes {
		printer.Fprint(&text, token.NewFileSet(), n) // a tree that was parsed can be printed
		text.WriteByte('\n')
		if k < len(nodes)-len(c.imports) {
			ast.Inspect(n, func(n ast.Node) bool { c.note(n, imports); return true })
		}
	}
	c.source = text.String()
	if parameters {
		c.values = parameterValues(tree.Stmts)
		c.literal = len(c.imports) == 0 && literals(tree)
	}
	c.tree = tree
}

// given returns the variables to which statements assign nothing but what functions of the project return.
func given(stmts []ast.Stmt, imports map[string]string) map[string]bool {
	ours, others := map[string]bool{}, map[string]bool{}
	ast.Inspect(&ast.BlockStmt{List: stmts}, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		to := others
		if call, ok := a.Rhs[0].(*ast.CallExpr); ok && len(a.Rhs) == 1 {
			if f, ok := call.Fun.(*ast.SelectorExpr); ok {
				if p, ok := f.X.(*ast.Ident); ok && module.Has(imports[p.Name]) {
					to = ours
				}
			}
		}
		for _, l := range a.Lhs {
			if id := cellsyntax.Root(l); id != nil {
				to[id.Name] = true
			}
		}
		return true
	})
	maps.DeleteFunc(ours, func(name string, _ bool) bool { return others[name] })
	return ours
}

// note collects what a piece of a cell mentions and changes.
func (c *cell) note(n ast.Node, imports map[string]string) {
	pkg := func(e ast.Expr) string {
		if id, ok := e.(*ast.Ident); ok {
			return imports[id.Name]
		}
		return ""
	}
	change := func(e ast.Expr) {
		if id := cellsyntax.Root(e); id != nil {
			c.defines[id.Name] = true
			if id != e {
				c.changes[id.Name] = true
				c.acts = c.acts || imports[id.Name] != "" // pkg.Variable = x
			}
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
			if what, does := beside(p, n.Sel.Name); what != "" {
				c.outside, c.acts = what, c.acts || does
			}
		} else if ok {
			if c.fields[id.Name] == nil {
				c.fields[id.Name] = map[string]bool{}
			}
			c.fields[id.Name][n.Sel.Name] = true
		}
	case *ast.CallExpr:
		switch f := n.Fun.(type) {
		case *ast.Ident:
			c.calls[f.Name] = true
			if reading[f.Name] {
				return
			}
		case *ast.SelectorExpr:
			c.calls[f.Sel.Name] = true
			if p := pkg(f.X); shows(p) || module.Has(p) {
				return // the project's functions do not change what they are given
			}
			if id := cellsyntax.Root(f.X); id != nil && c.ours[id.Name] {
				return // nor do the methods of its types
			}
		}
		for _, a := range n.Args { // who is handed a pointer may change what it points to
			if id := cellsyntax.Root(a); id != nil {
				c.changes[id.Name] = true
			}
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
			change(&ast.StarExpr{X: n.X})
		}
	case *ast.ExprStmt: // x.Scale(2) may change x
		if call, ok := n.X.(*ast.CallExpr); ok {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok {
				if p := pkg(s.X); module.Has(p) && !shows(p) {
					c.acts = true // gemm.Use()
				}
				if id := cellsyntax.Root(s.X); id != nil && imports[id.Name] == "" && id.Name != "display" {
					c.defines[id.Name], c.changes[id.Name] = true, true
				}
			}
		}
	}
}

// shows tells the packages whose functions show what they are given and do nothing else.
func shows(pkg string) bool {
	switch pkg {
	case "fmt", "strings", module.Package("ui/display"), module.Package("ui/widget"),
		module.Package("kernel-helpers/check"), module.Package("kernel-helpers/figure"), module.Package("kernel-helpers/gallery"):
		return true
	}
	return false
}

// reading are functions and conversions of the language that do not change what they are given.
var reading = map[string]bool{"panic": true, "len": true, "cap": true, "print": true, "println": true, "string": true, "bool": true,
	"int": true, "int64": true, "uint": true, "uint64": true, "float64": true, "min": true, "max": true}

// beside returns what a name of a package depends on outside the program, or ""
// if it depends on nothing there, and whether it may change what is there.
func beside(pkg, name string) (what string, does bool) {
	switch pkg {
	case "os":
		switch name {
		case "Stdout", "Stderr":
			return "", false
		case "ReadFile", "Open", "Stat", "Lstat", "ReadDir", "Getenv", "LookupEnv", "Args", "Getwd", "Hostname":
			return "os." + name, false
		}
		return "os." + name, true
	case "os/exec", "syscall", "runtime/debug", "plugin", "unsafe":
		return "package " + pkg, true
	case "crypto/rand", "net", "net/http", "io/ioutil", "database/sql":
		return "package " + pkg, pkg == "io/ioutil"
	case "runtime":
		return "runtime." + name, name == "GOMAXPROCS"
	case "time":
		if name == "Now" || name == "Since" || name == "Until" {
			return "time." + name, false
		}
	case "math/rand", "math/rand/v2": // its own source has another beginning each time
		if !strings.HasPrefix(name, "New") && !slices.Contains([]string{"Rand", "Source", "Source64", "PCG", "ChaCha8", "Zipf"}, name) {
			return "rand." + name + " without a seed", name == "Seed"
		}
	}
	return "", false
}

// aliases are, by name, other names for what it holds, or for a part of it.
type aliases map[string]map[string]bool

// join makes each the other's alias, and those of both.
func (a aliases) join(x, y string) {
	if x == y || x == "_" || y == "_" {
		return
	}
	all := map[string]bool{x: true, y: true}
	maps.Copy(all, a[x])
	maps.Copy(all, a[y])
	for name := range all {
		a[name] = all
	}
}

// follow adds what a cell changes by other names, o := lab.Options; o.Steps = 3, and by the
// functions of cells before it that it calls.
func (c *cell) follow(before []*cell, alias aliases, imports map[string]string) {
	if c.opaque {
		return
	}
	for _, b := range before {
		for name := range b.defines {
			if c.calls[name] {
				maps.Copy(c.changes, b.defines)
				maps.Copy(c.changes, b.changes)
				c.acts = c.acts || b.acts
			}
		}
	}
	join := func(left, right ast.Expr) {
		l, r := cellsyntax.Root(left), origin(right)
		if l != nil && r != nil && imports[r.Name] == "" && l.Name != "err" && l.Name != "ok" {
			alias.join(l.Name, r.Name)
		}
	}
	for _, s := range c.tree.Stmts {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if len(n.Rhs) == 1 {
						i = 0
					}
					join(l, n.Rhs[i])
				}
			case *ast.RangeStmt:
				if n.Value != nil {
					join(n.Value, n.X)
				}
			}
			return true
		})
	}
	for name := range maps.Clone(c.changes) {
		maps.Copy(c.changes, alias[name])
	}
}

// origin is the variable of which an expression gives a part, or what its methods give.
func origin(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.UnaryExpr:
			e = x.X
		case *ast.TypeAssertExpr:
			e = x.X
		case *ast.CallExpr:
			s, ok := x.Fun.(*ast.SelectorExpr)
			if !ok {
				return nil
			}
			e = s.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		default:
			return cellsyntax.Root(e)
		}
	}
}

// literals reports whether a cell does no more than give variables literals.
func literals(tree *cellsyntax.Tree) bool {
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
			if !literalVars(s.Decl, constant, once) {
				return false
			}
		default:
			return false
		}
	}
	for _, d := range tree.Decls {
		if !literalVars(d, constant, once) {
			return false
		}
	}
	return true
}

func literalVars(d ast.Decl, constant func([]ast.Expr) bool, once func(...ast.Expr) bool) bool {
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
var papers = module.Package("paper/")

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
			c.opens = &opening{at: at, variable: id.Name, pkg: imports[p.Name], given: listed(call.Args)}
		}
	}
}

// recognise reports whether a cell is an experiment, given those before it.
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
	// isGiven reports whether an expression is what an experiment gives, or a part of it.
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
			if !ok || !plainArguments(e.Args) {
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
	clear(c.changes)              // what it calls does not change the lab, see doc.go
	for name := range c.defines { // nor does a call as a statement
		if labs[name] != nil {
			delete(c.defines, name)
		}
	}
}

// plainArguments reports whether arguments are made of constants and variables alone.
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
			need := cells[i].opaque || cells[j].opaque || cells[j].acts && cells[i].experiment() ||
				shares(cells[j].defines, cells[i].mentions) || shares(cells[j].changes, cells[i].mentions)
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
