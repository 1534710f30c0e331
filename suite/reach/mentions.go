package reach

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
)

// mentions holds the names in the text of a piece. They do not depend on the root.
type mentions struct {
	declarations []*declaration  // package-level names, of its own package and of others of the module
	selected     map[string]bool // names after a dot that may be methods of a Lab
	promised     map[string]bool // names of an interface's methods
	outside      map[string]bool // "name path" of the imports from outside the module that it uses
	bodyless     bool            // a function with its body elsewhere: in assembler, or linked
}

// A reader walks over a declaration and keeps track of scopes, so that a local rows is not taken
// for the package's function rows.
type reader struct {
	code   *Code
	file   *file
	locals []local
	out    *mentions
	seen   map[*declaration]bool
	err    error
}

// A local is a name that a function declares.
type local struct {
	name string
	typing
}

// read returns the mentions of a piece.
func (c *Code) read(p *piece) (*mentions, error) {
	if p.all != nil {
		return p.all, nil
	}
	r := &reader{code: c, file: p.file, seen: map[*declaration]bool{},
		out: &mentions{selected: map[string]bool{}, promised: map[string]bool{}, outside: map[string]bool{}}}
	for _, im := range p.file.imports { // the origin of names from a dot import cannot be seen
		if im.name == "." && !c.followed(im.path) {
			r.out.outside[". "+im.path] = true
		}
	}
	switch n := p.node.(type) {
	case *ast.FuncDecl:
		r.function(n)
	case *ast.TypeSpec:
		r.typeSpec(n)
	default:
		ast.Walk(r, n)
	}
	if r.err != nil {
		return nil, r.err
	}
	p.all = r.out
	return p.all, nil
}

// scoped runs f in a scope of its own.
func (r *reader) scoped(f func()) {
	n := len(r.locals)
	f()
	r.locals = r.locals[:n]
}

// local declares a name.
func (r *reader) local(id ast.Expr, t typing) {
	if id, ok := id.(*ast.Ident); ok {
		r.locals = append(r.locals, local{id.Name, t})
	}
}

// lookup finds the innermost local with a name, or nil.
func (r *reader) lookup(name string) *local {
	for i := len(r.locals) - 1; i >= 0; i-- {
		if r.locals[i].name == name {
			return &r.locals[i]
		}
	}
	return nil
}

func (r *reader) isLocal(name string) bool { return r.lookup(name) != nil }

// define declares the left side of a := after its right side has been read. Some of several names
// may be existing variables, which keep their types. The right side's type differs from these only
// for interfaces, whose methods are in promised.
func (r *reader) define(left, right []ast.Expr) {
	ts := make([]typing, len(left))
	if len(right) == len(left) {
		for i, x := range right {
			ts[i] = r.infer(x)
		}
	} else if len(right) == 1 {
		if call, ok := right[0].(*ast.CallExpr); ok {
			if results := r.results(call); len(results) == len(left) {
				ts = results
			}
		}
	}
	for i, x := range left {
		r.local(x, ts[i])
	}
}

// walk visits nodes, any of which may be nil.
func walk[N ast.Node](r *reader, nodes ...N) {
	for _, n := range nodes {
		if ast.Node(n) != nil {
			ast.Walk(r, n)
		}
	}
}

// Visit handles the nodes in which Go opens a scope, declares a local name, or has
// identifiers that are not names in a scope (fields, labels); ast.Walk does the
// rest.
func (r *reader) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.Ident:
		r.identifier(n)
		return nil
	case *ast.SelectorExpr:
		r.selector(n)
		return nil
	case *ast.CompositeLit:
		r.literal(n, n.Type)
		return nil
	case *ast.StructType:
		if n.Fields != nil {
			for _, f := range n.Fields.List {
				walk(r, f.Type)
			}
		}
		return nil
	case *ast.InterfaceType:
		if n.Methods != nil {
			for _, f := range n.Methods.List {
				for _, id := range f.Names {
					r.out.promised[id.Name] = true
				}
				walk(r, f.Type)
			}
		}
		return nil
	case *ast.FuncType:
		r.scoped(func() { r.signature(nil, n) })
		return nil
	case *ast.FuncLit:
		r.scoped(func() { r.signature(nil, n.Type); r.block(n.Body) })
		return nil
	case *ast.BlockStmt:
		r.block(n)
		return nil
	case *ast.IfStmt:
		r.scoped(func() { walk(r, n.Init); walk(r, n.Cond); r.block(n.Body); walk(r, n.Else) })
		return nil
	case *ast.ForStmt:
		r.scoped(func() { walk(r, n.Init); walk(r, n.Cond); walk(r, n.Post); r.block(n.Body) })
		return nil
	case *ast.RangeStmt:
		walk(r, n.X)
		r.scoped(func() {
			if n.Tok == token.DEFINE {
				element := r.element(n.X)
				r.local(n.Key, typing{})
				r.local(n.Value, element)
			} else {
				walk(r, n.Key, n.Value)
			}
			r.block(n.Body)
		})
		return nil
	case *ast.SwitchStmt:
		r.scoped(func() { walk(r, n.Init); walk(r, n.Tag); r.block(n.Body) })
		return nil
	case *ast.TypeSwitchStmt:
		r.scoped(func() { walk(r, n.Init); walk(r, n.Assign); r.block(n.Body) })
		return nil
	case *ast.CaseClause:
		walk(r, n.List...)
		r.scoped(func() { walk(r, n.Body...) })
		return nil
	case *ast.CommClause:
		r.scoped(func() { walk(r, n.Comm); walk(r, n.Body...) })
		return nil
	case *ast.AssignStmt:
		walk(r, n.Rhs...)
		if n.Tok == token.DEFINE {
			r.define(n.Lhs, n.Rhs)
		} else {
			walk(r, n.Lhs...)
		}
		return nil
	case *ast.DeclStmt:
		if d, ok := n.Decl.(*ast.GenDecl); ok {
			r.localDecl(d)
			return nil
		}
	case *ast.ValueSpec: // package-level: its names are the piece's own
		walk(r, n.Type)
		walk(r, n.Values...)
		return nil
	case *ast.LabeledStmt:
		walk(r, n.Stmt)
		return nil
	case *ast.BranchStmt:
		return nil
	}
	return r
}

func (r *reader) block(b *ast.BlockStmt) {
	if b != nil {
		r.scoped(func() { walk(r, b.List...) })
	}
}

// localDecl reads a declaration in a function. A variable's scope begins after its
// specification, a type's at its name.
func (r *reader) localDecl(d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.ValueSpec:
			walk(r, s.Type)
			walk(r, s.Values...)
			t := r.written(s.Type)
			if s.Type == nil && len(s.Names) == 1 && len(s.Values) == 1 {
				t = r.infer(s.Values[0])
			}
			for _, id := range s.Names {
				r.local(id, t)
			}
		case *ast.TypeSpec:
			r.local(s.Name, typing{})
			r.typeSpec(s)
		}
	}
}

func (r *reader) typeSpec(s *ast.TypeSpec) {
	r.scoped(func() { r.parameters(s.TypeParams); walk(r, s.Type) })
}

// parameters reads type parameters, which may mention each other.
func (r *reader) parameters(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			r.local(id, typing{})
		}
	}
	for _, f := range list.List {
		walk(r, f.Type)
	}
}

// signature reads a function's type and leaves the names of receiver and parameters
// in scope, which is the body's: in func f(rows rows) the second rows is the package's.
func (r *reader) signature(receiver *ast.FieldList, t *ast.FuncType) {
	r.parameters(t.TypeParams)
	var names []local
	for _, list := range []*ast.FieldList{receiver, t.Params, t.Results} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			if list != receiver {
				walk(r, f.Type)
			}
			typ := r.written(f.Type)
			if variadic, ok := f.Type.(*ast.Ellipsis); ok {
				typ = r.written(&ast.ArrayType{Elt: variadic.Elt})
			}
			for _, id := range f.Names {
				names = append(names, local{id.Name, typ})
			}
		}
	}
	r.locals = append(r.locals, names...)
}

func (r *reader) function(d *ast.FuncDecl) {
	r.out.bodyless = d.Body == nil
	if d.Recv != nil {
		for _, f := range d.Recv.List {
			id, arguments := typeIdent(f.Type)
			if id == nil {
				walk(r, f.Type)
				continue
			}
			r.identifier(id)
			for _, a := range arguments {
				r.local(a, typing{}) // the type's parameters, under the names in the method
			}
		}
	}
	r.signature(d.Recv, d.Type)
	r.block(d.Body)
}

// literal reads a composite literal of a type, which may be given by the enclosing literal. The
// keys of a struct are fields and not names in a scope.
func (r *reader) literal(n *ast.CompositeLit, t ast.Expr) {
	walk(r, n.Type)
	var element ast.Expr
	switch t := t.(type) {
	case *ast.ArrayType:
		element = t.Elt
	case *ast.MapType:
		element = t.Value
	}
	fields := r.isStruct(t)
	for _, x := range n.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if _, name := kv.Key.(*ast.Ident); !name || !fields {
				key, _ := t.(*ast.MapType)
				if inner, ok := kv.Key.(*ast.CompositeLit); ok && inner.Type == nil && key != nil {
					r.literal(inner, pointed(key.Key))
				} else {
					walk(r, kv.Key)
				}
			}
			x = kv.Value
		}
		if inner, ok := x.(*ast.CompositeLit); ok && inner.Type == nil {
			r.literal(inner, pointed(element))
			continue
		}
		walk(r, x)
	}
}

func pointed(t ast.Expr) ast.Expr {
	if star, ok := t.(*ast.StarExpr); ok {
		return star.X
	}
	return t
}

// isStruct reports whether a type is certainly a struct.
func (r *reader) isStruct(t ast.Expr) bool {
	_, ok := r.code.underlying(r.written(t)).expr.(*ast.StructType)
	return ok
}

func (r *reader) mention(ds []*declaration) {
	for _, d := range ds {
		if !r.seen[d] {
			r.seen[d] = true
			r.out.declarations = append(r.out.declarations, d)
		}
	}
}

// identifier reads a name that is not after a dot.
func (r *reader) identifier(id *ast.Ident) {
	if id == nil || r.isLocal(id.Name) {
		return
	}
	if ds := r.file.folder.scope[id.Name]; ds != nil {
		r.mention(ds)
		return
	}
	for _, im := range r.file.imports {
		if im.name == "." && r.code.followed(im.path) {
			fo, err := r.code.open(im.path)
			if err != nil {
				r.fail(err)
				return
			}
			r.mention(fo.scope[id.Name])
		}
	}
}

// selector reads x.Name: a package's name, or a field or method of a value.
func (r *reader) selector(n *ast.SelectorExpr) {
	x, ok := n.X.(*ast.Ident)
	if !ok || r.isLocal(x.Name) {
		if m, ok := r.member(n); !ok {
			r.out.selected[n.Sel.Name] = true
		} else if m.method != nil {
			r.mention([]*declaration{m.method})
		}
		walk(r, n.X)
		return
	}
	guessed, doubtful := map[string]bool{}, map[string]bool{}
	for _, im := range r.file.imports {
		switch {
		case im.name == "_" || im.name == ".":
		case r.code.followed(im.path):
			fo, err := r.code.open(im.path)
			if err != nil {
				r.fail(err)
				return
			}
			if x.Name == cmp.Or(im.name, fo.name) {
				ds := fo.scope[n.Sel.Name]
				if ds == nil {
					r.fail(fmt.Errorf("reach: %s mentions %s.%s, which %s does not declare", r.file.name, x.Name, n.Sel.Name, im.path))
				}
				r.mention(ds)
				return
			}
		case im.name == x.Name:
			r.out.outside[im.name+" "+im.path] = true
			return
		case im.name != "":
		case x.Name == guess(im.path):
			guessed[x.Name+" "+im.path] = true
		case !token.IsIdentifier(path.Base(im.path)):
			doubtful[x.Name+" "+im.path] = true // go-x may be the package x
		}
	}
	own := r.file.folder.scope[x.Name] != nil
	if own || len(guessed) == 0 {
		r.out.selected[n.Sel.Name] = true
		r.identifier(x)
	}
	maps.Copy(r.out.outside, guessed)
	if !own || len(guessed) > 0 {
		maps.Copy(r.out.outside, doubtful)
	}
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}
