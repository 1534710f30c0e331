package goprogram

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"overcomplete/internal/module"
	"overcomplete/kernel/cellsyntax"
)

// A ref is an occurrence of a name in a part, with the entity to which the name refers.
type ref struct {
	off  int
	name string
	ent  *entity
}

// An entity is the meaning that a declaration gives to a name, until the name is declared again.
type entity struct {
	name string // name in the notebook
	out  string // name in the program
	path string // import path, for an import
	fun  bool
	typ  bool
	vari bool
	text string // text of a declaration, without comments
	sign string // text of a function without its body
	part *part  // the part that declares it

	before *entity // the variable that this variable redeclares
	same   *entity // the variable with which this variable is merged, because it has the same type
	after  *entity // the next version of this function

	typed types.Type // type of a variable
	hoist bool       // the variable is a package variable
	param bool
}

// canonical returns the entity with which e is merged, or e.
func (e *entity) canonical() *entity {
	for e.same != nil {
		e = e.same
	}
	return e
}

// latest returns the last version of the function e that has the signature of e. It stops at the first version with
// another signature.
func (e *entity) latest() *entity {
	l := e
	for n := e.after; n != nil && n.sign == e.sign; n = n.after {
		l = n
	}
	return l
}

// names is the state for resolving the names of a notebook to entities.
type names struct {
	live      map[string]*entity
	all       []*entity
	imports   []*entity
	taken     map[string]bool       // names used in the program
	mentioned map[string]bool       // names used anywhere in the notebook
	mentions  map[string][]ast.Decl // the declarations so far, by name; see arrange
	methods   map[string]*part
	labels    map[string]bool          // the labels in main
	packages  func(path string) string // returns the name of a package
	remarks   []string
}

func newNames(cells []*cell, packageName func(string) string) *names {
	n := &names{live: map[string]*entity{}, taken: map[string]bool{"main": true, "init": true, "_": true}, mentioned: map[string]bool{}, mentions: map[string][]ast.Decl{}, methods: map[string]*part{}, labels: map[string]bool{}, packages: packageName}
	for _, name := range types.Universe.Names() {
		n.taken[name] = true // as a package variable, max := max(3, 4) would hide max from itself
	}
	for _, c := range cells {
		for _, p := range c.parts {
			var node ast.Node = p.decl
			if p.stmt != nil {
				node = p.stmt
			}
			if p.decl == nil && p.stmt == nil {
				continue
			}
			ast.Inspect(node, func(x ast.Node) bool {
				if id, ok := x.(*ast.Ident); ok {
					n.mentioned[id.Name] = true
				}
				return true
			})
		}
	}
	n.live["display"] = nil // the only package that cells need not import
	for _, c := range cells {
		n.arrange(c)
		n.relabel(c)
		n.cell(c)
	}
	// Functions call the last version of other functions. Add one remark about all affected functions.
	var told []string
	for _, c := range cells {
		for _, p := range c.parts {
			for i, r := range p.refs {
				if p.kind == declPart && r.ent != nil && r.ent.fun && r.ent.latest() != r.ent && !slices.Contains(p.declares, r.ent) {
					p.refs[i].ent = r.ent.latest()
					told = append(told, fmt.Sprintf("cell %d: %s calls the %s of a later cell, as it would in a session after the last cell", c.number, cellsyntax.Declared(p.decl)[0], r.name))
				}
			}
		}
	}
	n.remarks = slices.Compact(told)
	return n
}

// cell declares the names of a cell, and resolves the names that the cell uses. The parts between two commands form a
// unit: its imports and declarations are read before its statements.
func (n *names) cell(c *cell) {
	begin := 0
	for i := 0; i <= len(c.parts); i++ {
		if i < len(c.parts) && c.parts[i].kind != commandPart {
			continue
		}
		piece := c.parts[begin:i]
		begin = i + 1
		for _, p := range piece {
			if p.kind == importPart {
				n.imported(p)
			}
		}
		for _, p := range piece {
			if p.kind == declPart {
				n.declarePart(p)
			}
		}
		for _, p := range piece {
			if p.kind == stmtPart && p.stmt != nil {
				n.statement(p)
			}
		}
		for _, p := range piece {
			if p.kind == declPart {
				n.lookUp(p)
				for _, r := range p.refs {
					if r.ent != nil && r.ent.vari {
						r.ent.hoist = true
					}
				}
				n.method(p)
			}
		}
	}
}

// relabel gives the labels of a cell other names if earlier cells have the same labels, because main can have each label
// only once.
func (n *names) relabel(c *cell) {
	if c.raises || c.defers {
		return // the cell becomes a function of its own
	}
	again := map[string]*entity{}
	each := func(do func(p *part, label *ast.Ident, declared bool)) {
		for _, p := range c.parts {
			if p.stmt == nil {
				continue
			}
			ast.Inspect(p.stmt, func(x ast.Node) bool {
				switch x := x.(type) {
				case *ast.FuncLit:
					return false // it has labels of its own
				case *ast.LabeledStmt:
					do(p, x.Label, true)
				case *ast.BranchStmt:
					if x.Label != nil {
						do(p, x.Label, false)
					}
				}
				return true
			})
		}
	}
	each(func(_ *part, label *ast.Ident, declared bool) {
		if !declared {
			return
		}
		out := label.Name
		for v := 2; n.labels[out]; v++ {
			out = fmt.Sprint(label.Name, v)
		}
		n.labels[out] = true
		if out != label.Name {
			again[label.Name] = &entity{name: label.Name, out: out}
		}
	})
	each(func(p *part, label *ast.Ident, _ bool) {
		if e := again[label.Name]; e != nil {
			p.refs = append(p.refs, ref{off: p.offset(label.Pos()), name: label.Name, ent: e})
		}
	})
}

// name chooses an entity's name in the program.
func (n *names) name(e *entity) {
	e.out = e.name
	for v := 2; n.taken[e.out] || v > 2 && n.mentioned[e.out]; v++ {
		e.out = e.name + strconv.Itoa(v)
		if last := e.name[len(e.name)-1]; last >= '0' && last <= '9' {
			e.out = e.name + "_" + strconv.Itoa(v)
		}
	}
	n.taken[e.out] = true
	n.all = append(n.all, e)
}

// renumber names the variables again after variables have been merged, so that the numbers have no gaps.
func (n *names) renumber() {
	for _, e := range n.all {
		if e.vari {
			delete(n.taken, e.out)
		}
	}
	all := n.all
	n.all = nil
	for _, e := range all {
		switch {
		case !e.vari:
			n.all = append(n.all, e)
		case e.same == nil:
			n.name(e)
		default:
			n.all = append(n.all, e)
		}
	}
}

// imported declares the package names of an import declaration.
func (n *names) imported(p *part) {
	for _, spec := range p.decl.(*ast.GenDecl).Specs {
		spec := spec.(*ast.ImportSpec)
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := n.packages(path)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		n.live[name] = n.importOf(path, name)
	}
}

// importOf returns the entity of a package that is imported by a given name. It adds the import if necessary.
func (n *names) importOf(path, name string) *entity {
	for _, e := range n.imports {
		if e.path == path && e.name == name {
			return e
		}
	}
	e := &entity{name: name, path: path}
	if name == "." || name == "_" {
		e.out = name
	} else {
		n.name(e)
	}
	n.imports = append(n.imports, e)
	return e
}

// declarePart declares the types, constants and functions of a part.
func (n *names) declarePart(p *part) {
	text := p.text[p.from:p.to]
	if f, ok := p.decl.(*ast.FuncDecl); ok {
		if f.Recv != nil || f.Name.Name == "init" || f.Name.Name == "_" {
			return // methods, init and _ cannot be used by name
		}
		sign := p.text[p.offset(f.Type.Params.Pos()):p.offset(f.Type.End())]
		old := n.live[f.Name.Name]
		if old != nil && old.fun && old.text == text {
			p.dropped = true
			return
		}
		e := &entity{name: f.Name.Name, fun: true, text: text, sign: sign, part: p}
		if old != nil && old.fun {
			old.after = e
		}
		n.declare(p, e, f.Name)
		return
	}
	g := p.decl.(*ast.GenDecl)
	var ids []*ast.Ident
	for _, spec := range g.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			ids = append(ids, s.Name)
		case *ast.ValueSpec:
			ids = append(ids, s.Names...)
		}
	}
	again := len(ids) > 0 && !slices.ContainsFunc(ids, func(id *ast.Ident) bool {
		old := n.live[id.Name]
		return id.Name == "_" || old == nil || old.text != text
	})
	if again {
		p.dropped = true
		return
	}
	for _, id := range ids {
		if id.Name != "_" {
			n.declare(p, &entity{name: id.Name, typ: g.Tok == token.TYPE, text: text, part: p}, id)
		}
	}
}

// declare makes e the current meaning of the name of e, and binds the given identifier to e.
func (n *names) declare(p *part, e *entity, id *ast.Ident) {
	n.name(e)
	n.live[e.name] = e
	p.declares = append(p.declares, e)
	// The text of a generic declaration contains its own name more than once. Only the occurrence at id is
	// bound here, without a lookup.
	p.refs = append(p.refs, ref{off: p.offset(id.Pos()), name: e.name, ent: e})
	// The parser has resolved occurrences of the name within the declaration itself: recursive functions and
	// types.
	if p.kind != declPart {
		return
	}
	ast.Inspect(p.decl, func(x ast.Node) bool {
		if use, ok := x.(*ast.Ident); ok && use != id && use.Obj != nil && use.Obj == id.Obj {
			p.refs = append(p.refs, ref{off: p.offset(use.Pos()), name: e.name, ent: e})
		}
		return true
	})
}

// method records the method that a part declares, if any. If an earlier part declares the same method, the earlier
// declaration is dropped.
func (n *names) method(p *part) {
	f, ok := p.decl.(*ast.FuncDecl)
	if !ok || f.Recv == nil || len(f.Recv.List) == 0 {
		return
	}
	t := cellsyntax.ReceiverName(f.Recv.List[0].Type)
	if e := n.live[t]; e != nil {
		key := e.out + "." + f.Name.Name
		if old := n.methods[key]; old != nil {
			old.dropped = true
		}
		n.methods[key] = p
	}
}

// statement resolves the names in a statement, and declares its variables.
func (n *names) statement(p *part) {
	n.lookUp(p)
	for _, id := range cellsyntax.Variables([]ast.Stmt{p.stmt}) {
		e := &entity{name: id.Name, vari: true, part: p, param: p.cell.params}
		if old := n.live[id.Name]; old != nil && old.vari {
			e.before = old
		}
		n.declare(p, e, id)
	}
	p.sortRefs()
}

// lookUp resolves the names in a part.
func (n *names) lookUp(p *part) {
	for i, r := range p.refs {
		if r.ent != nil {
			continue
		}
		e, known := n.live[r.name]
		if e == nil && known && r.name == "display" {
			e = n.importOf(displayPath, "display")
			n.live["display"] = e
		}
		p.refs[i].ent = e
		if e != nil && e.vari && e.part.cell != p.cell && e.part.cell.guarded() {
			e.hoist = true // otherwise its scope would end with the cell
		}
	}
	p.refs = slices.DeleteFunc(p.refs, func(r ref) bool { return r.ent == nil })
	p.sortRefs()
}

// use returns the import entity for a package. It adds the import if the program does not have it.
func (n *names) use(path string) *entity {
	for _, e := range n.imports {
		if e.path == path && e.out != "." && e.out != "_" {
			return e
		}
	}
	return n.importOf(path, n.packages(path))
}

// fresh returns a name for a variable of the program: the given name or, if that is taken, the name with a number.
func (n *names) fresh(name string) string {
	e := &entity{name: name}
	n.name(e)
	n.all = n.all[:len(n.all)-1]
	delete(n.taken, e.out)
	return e.out
}

// hoistTogether marks more variables as package variables (hoist): if one of the variables that a statement declares is
// marked, hoistTogether marks the statement's other variables too.
func (n *names) hoistTogether(cells []*cell) {
	for changed := true; changed; {
		changed = false
		for _, c := range cells {
			for _, p := range c.parts {
				any := slices.ContainsFunc(p.declares, func(e *entity) bool { return e.vari && e.canonical().hoist })
				for _, e := range p.declares {
					if any && e.vari && !e.canonical().hoist {
						e.canonical().hoist, changed = true, true
					}
				}
			}
		}
	}
}

var displayPath = module.Package("ui/display")

// gemmPath is the import path of the package that makes gonum's products fast.
var gemmPath = module.Package("kernel-helpers/gemm")

// gpuPath is the import path of the package that chooses devices. The kernel has the driver in a second program. A
// program written from a notebook must import the driver.
var gpuPath = module.Package("kernel-helpers/gpu")

// driverFile is the name of the file in which a program imports the driver.
const driverFile = "opencl-driver.go"

// baseName guesses the name of a package from its path.
func baseName(path string) string {
	parts := strings.Split(path, "/")
	name := parts[len(parts)-1]
	if len(parts) > 1 && len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = parts[len(parts)-2]
	}
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "go-"), ".")
	return strings.ReplaceAll(name, "-", "_")
}
