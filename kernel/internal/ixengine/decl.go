package ixengine

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"overcomplete/kernel/cellsyntax"
)

// A decl is one declaration of a session: a function, a method, a type, or a whole const group, because iota
// makes its members depend on each other.
type decl struct {
	id   int // number of this version; part of hook names. A later change has a higher number
	cell string
	// source is the text of the cell.
	source string
	tok    token.Token // FUNC, TYPE or CONST
	names  []string    // the declared names; T.M for a method
	recv   string      // the receiver's type name, for a method
	node   ast.Decl
	text   string // source text, formatted; a declaration is unchanged if its text is unchanged
	sig    string // text of a function or method without the body
	refs   map[string]bool
	linked int // the session's lastID when the declaration was linked
	// identity holds the names on which a type's identity depends: for a type, all the names that it
	// mentions; for a method, the names that its signature mentions.
	identity map[string]bool

	hook     string       // name of the hook variable; "" if there is no hook
	hookDecl *ast.GenDecl // declaration of the hook variable
}

func (d *decl) isInit() bool   { return d.isFunc() && d.names[0] == "init" }
func (d *decl) isFunc() bool   { return d.tok == token.FUNC && d.recv == "" }
func (d *decl) isMethod() bool { return d.recv != "" }

// initPrefix is the prefix of the names of init functions in programs. The statements of the cell call these
// functions.
const initPrefix = "init__"

// initName returns the name under which programs declare d, an init function.
func (d *decl) initName() *ast.Ident {
	id := ident(initPrefix + strconv.Itoa(d.id))
	id.NamePos = d.node.(*ast.FuncDecl).Name.NamePos
	return id
}

// An env maps the names of a notebook to their meanings at one moment.
type env struct {
	imports map[string]string // local name -> path
	dots    map[string]bool   // paths imported with a dot
	decls   map[string]*decl  // declarations by each of their names
	vars    map[string]*variable
	gone    map[string]*decl // methods that were removed with their types, keyed by T.M
}

func newEnv() *env {
	return &env{imports: map[string]string{}, dots: map[string]bool{}, decls: map[string]*decl{}, vars: map[string]*variable{}, gone: map[string]*decl{}}
}

func (e *env) clone() *env {
	return &env{maps.Clone(e.imports), maps.Clone(e.dots), maps.Clone(e.decls), maps.Clone(e.vars), maps.Clone(e.gone)}
}

// declarations returns all declarations, each of them once, ordered by version.
func (e *env) declarations() []*decl {
	return slices.Compact(slices.SortedFunc(maps.Values(e.decls), func(a, b *decl) int {
		return cmp.Or(a.id-b.id, strings.Compare(a.names[0], b.names[0]))
	}))
}

// methods returns the methods of the named type.
func (e *env) methods(typ string) []*decl {
	var list []*decl
	prefix := typ + "."
	for name, d := range e.decls {
		if strings.HasPrefix(name, prefix) {
			list = append(list, d)
		}
	}
	return list
}

// has compares e with the types in t that cells declare at top level. It reports whether, for each of them, e has a
// type with the same name and the same number of type parameters. The type in e may be a different one, because the
// name may have been redeclared.
func (e *env) has(t types.Type) bool {
	all := true
	walkNamed(t, func(n *types.Named) {
		if !isTopLevel(n) {
			return
		}
		params := -1
		if d := e.decls[n.Obj().Name()]; d != nil && d.tok == token.TYPE {
			params = d.node.(*ast.GenDecl).Specs[0].(*ast.TypeSpec).TypeParams.NumFields()
		}
		all = all && params == n.TypeParams().Len()
	})
	return all
}

// forget removes the meaning of name, so that name can be declared again.
func (e *env) forget(name string) {
	delete(e.imports, name)
	delete(e.vars, name)
	d := e.decls[name]
	if d == nil {
		return
	}
	delete(e.decls, name)
	if d.tok == token.TYPE {
		for _, m := range e.methods(name) {
			delete(e.decls, m.names[0])
			e.gone[m.names[0]] = m
		}
	}
	if d.tok == token.CONST && len(d.names) > 1 {
		// The other members of the group stay; the blank identifier takes the place of name.
		e.replaceGroup(d, name)
	}
}

// replaceGroup replaces the const group d by a copy that does not declare name.
func (e *env) replaceGroup(d *decl, name string) {
	group := *d.node.(*ast.GenDecl)
	group.Specs = nil
	for _, spec := range d.node.(*ast.GenDecl).Specs {
		v := *spec.(*ast.ValueSpec)
		v.Names = nil
		for _, id := range spec.(*ast.ValueSpec).Names {
			if id.Name == name {
				id = &ast.Ident{NamePos: id.NamePos, Name: "_"}
			}
			v.Names = append(v.Names, id)
		}
		group.Specs = append(group.Specs, &v)
	}
	c := *d
	c.node = &group
	c.names = nil
	for _, n := range d.names {
		if n != name {
			c.names = append(c.names, n)
			e.decls[n] = &c
		}
	}
}

// newDecls returns the session's decls for the declarations of a cell. If e already has a declaration with the same
// text, the new decl counts as the same version, so running a cell again changes only positions.
func (s *Session) newDecls(e *env, cell string, nodes []ast.Decl) []*decl {
	var list []*decl
	source, _ := s.sources.textOf(cell)
	lastOfAll := sync.OnceValue(func() int { return e.lastChange(nodes...) }) // one walk is enough if nothing has changed
	add := func(d *decl) {
		d.cell, d.source = cell, source
		d.text = s.text(d.node)
		d.refs = refsOf(d.node)
		list = append(list, d)
		// If something that a function mentions has changed, the same text is another version of the function: variables
		// that hold the older version then run the newer one.
		if old := e.decls[d.names[0]]; old != nil && old.text == d.text && len(old.names) == len(d.names) &&
			(d.tok != token.FUNC || lastOfAll() <= old.linked || e.lastChange(d.node) <= old.linked) {
			d.id = old.id
			return
		}
		s.lastID++
		d.id = s.lastID
	}
	for _, n := range nodes {
		switch n := n.(type) {
		case *ast.FuncDecl:
			d := &decl{tok: token.FUNC, node: n, names: []string{n.Name.Name}}
			if n.Recv != nil && len(n.Recv.List) == 1 {
				d.recv = e.nameReceiver(nodes, n.Recv.List[0].Type)
			}
			bodiless := *n
			bodiless.Body = nil
			d.sig = s.text(&bodiless)
			d.identity = refsOf(&bodiless)
			if d.recv != "" && n.Name.Name != "_" {
				d.names = []string{d.recv + "." + n.Name.Name}
			}
			add(d)
			if d.isInit() {
				n.Name = d.initName()
			}
			instrument(n)
			if canHook(n) {
				d.hook = fmt.Sprintf("hook__%d", d.id)
				d.hookDecl = addHook(n, d.hook)
			}
		case *ast.GenDecl:
			if len(n.Specs) == 0 { // const () declares nothing
				continue
			}
			if n.Tok == token.CONST {
				d := &decl{tok: token.CONST, node: n}
				for _, spec := range n.Specs {
					for _, id := range spec.(*ast.ValueSpec).Names {
						d.names = append(d.names, id.Name)
					}
				}
				add(d)
				d.identity = d.refs
				continue
			}
			for _, spec := range n.Specs {
				one := &ast.GenDecl{TokPos: n.TokPos, Tok: n.Tok, Specs: []ast.Spec{spec}}
				d := &decl{tok: token.TYPE, node: one, names: []string{spec.(*ast.TypeSpec).Name.Name}}
				add(d)
				d.identity = d.refs
			}
		}
	}
	return list
}

// lastChange returns the latest change to the variables and declarations that the given declarations mention, directly
// or through others.
func (e *env) lastChange(list ...ast.Decl) (latest int) {
	for name := range reached(e, list...) {
		if v := e.vars[name]; v != nil {
			latest = max(latest, v.since)
		} else if d := e.decls[name]; d != nil {
			latest = max(latest, d.id)
		}
	}
	return latest
}

// nameReceiver returns the name of a method's receiver type. If the method names an alias, nameReceiver replaces it
// with the type for which it stands, because a later cell may use the alias for another type. Aliases are looked up in
// the declarations of the cell and then in e.
func (e *env) nameReceiver(nodes []ast.Decl, receiver ast.Expr) string {
	given := cellsyntax.ReceiverName(receiver)
	name := e.declaredType(nodes, given)
	if name != given {
		ast.Inspect(receiver, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == given {
				id.Name = name
			}
			return true
		})
	}
	return name
}

// declaredType returns the name of the type for which the given name stands, if it is an alias, and otherwise the name
// itself.
func (e *env) declaredType(nodes []ast.Decl, name string) string {
	specOf := func(name string) *ast.TypeSpec {
		for _, n := range nodes {
			if g, ok := n.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, spec := range g.Specs {
					if t := spec.(*ast.TypeSpec); t.Name.Name == name {
						return t
					}
				}
			}
		}
		if d := e.decls[name]; d != nil && d.tok == token.TYPE {
			return d.node.(*ast.GenDecl).Specs[0].(*ast.TypeSpec)
		}
		return nil
	}
	for seen := map[string]bool{}; !seen[name]; { // type A = B; type B = A is an error, which the type checker reports
		seen[name] = true
		t := specOf(name)
		if t == nil || !t.Assign.IsValid() {
			break
		}
		id, ok := ast.Unparen(t.Type).(*ast.Ident)
		if !ok {
			break
		}
		name = id.Name
	}
	return name
}

// declare adds a cell's declarations to e and returns those that are new or have changed.
func (e *env) declare(list []*decl) (changed []*decl) {
	// Forget all of them first. Forgetting a type also forgets its methods, but must not forget the methods
	// that the cell declares, which may precede the type.
	for _, d := range list {
		if old := e.decls[d.names[0]]; old != nil && old.id == d.id {
			continue
		}
		changed = append(changed, d)
		for _, name := range d.names {
			if name != "_" && name != "init" {
				e.forget(name)
			}
		}
	}
	for _, d := range list {
		for _, name := range d.names {
			if name != "_" && name != "init" {
				e.decls[name] = d
			}
		}
	}
	return changed
}

// affectedTypes returns the names of the types that get a new identity because of the changed declarations. These are
// the changed types, and the types with a new method, a method with a new signature, or a changed method that has no
// hook. Types that depend, directly or indirectly, on one of these types or on a changed constant are affected too.
// The result also contains the names of the changed constants and of the constants that depend on a name in the
// result.
func affectedTypes(old, now *env, changed []*decl) map[string]bool {
	hit := map[string]bool{}
	for _, d := range changed {
		switch {
		case d.isMethod():
			if d.names[0] == "_" { // nothing can call it
				continue
			}
			// Without a hook, compiled code would continue to call the old
			// body.
			if o := old.decls[d.names[0]]; o == nil || o.sig != d.sig || d.hook == "" {
				hit[d.recv] = true
			}
		case d.isFunc():
		default:
			for _, n := range d.names {
				hit[n] = true
			}
		}
	}
	now.spread(hit)
	return hit
}

// typesMentioning returns the names of the types and constants that depend, directly or indirectly, on one of the
// given names.
func (e *env) typesMentioning(names map[string]bool) map[string]bool {
	hit := map[string]bool{}
	for name, d := range e.decls {
		owner := name
		if d.isMethod() {
			owner = d.recv
		} else if d.isFunc() {
			continue
		}
		for ref := range d.identity {
			if names[ref] {
				hit[owner] = true
			}
		}
	}
	e.spread(hit)
	return hit
}

// spread adds to hit the names of all types and constants that depend, directly or indirectly, on a name in hit.
func (e *env) spread(hit map[string]bool) {
	for again := len(hit) > 0; again; {
		again = false
		for name, d := range e.decls {
			owner := name
			if d.isMethod() {
				owner = d.recv
			} else if d.isFunc() {
				continue
			}
			if hit[owner] {
				continue
			}
			for ref := range d.identity {
				if hit[ref] && ref != owner {
					hit[owner], again = true, true
					break
				}
			}
		}
	}
}

// refsOf returns every name that the nodes may mention. It may return too many: the names of local variables
// are included.
func refsOf(nodes ...ast.Node) map[string]bool {
	refs := map[string]bool{}
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				refs[id.Name] = true
			}
			return true
		})
	}
	return refs
}

func (s *Session) text(n ast.Node) string {
	var b bytes.Buffer
	if err := format.Node(&b, s.ctx.FileSet, n); err != nil {
		return fmt.Sprintf("%p", n) // different from every other text
	}
	return b.String()
}

// addImport adds an import under the name in the cell, or under the package's own name if the cell specifies
// no name.
func (s *Session) addImport(e *env, spec *ast.ImportSpec) error {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return err
	}
	name := ""
	if s.opt.Current != nil {
		if now := s.opt.Current(path); now != path {
			name = path[strings.LastIndexByte(path, '/')+1:] // the name under which the cell mentions the package
			path = now
		}
	}
	pkg, err := s.importer.Import(path)
	if err != nil {
		return err
	}
	switch {
	case spec.Name != nil:
		name = spec.Name.Name
	case name == "":
		name = pkg.Name()
	}
	switch name {
	case "_":
	case ".":
		e.dots[path] = true
	default:
		e.forget(name)
		e.imports[name] = path
	}
	return nil
}
