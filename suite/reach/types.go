package reach

import (
	"cmp"
	"go/ast"
	"go/token"
)

// A typing is the type of an expression as far as the source shows it: a type's expression and the
// file whose imports give it its meaning. Pointers are ignored: the fields and methods of T and *T
// are found in the same way. The zero typing is an unknown type.
//
// It serves only to show that x.Name is not a method of a paper's Lab. So every doubt (interfaces,
// type parameters, other modules' types, several declarations by build tags) makes it unknown, and
// a name after an unknown x counts for all Labs.
type typing struct {
	file *file
	expr ast.Expr
}

func (t typing) known() bool { return t.expr != nil }

func (t typing) of(x ast.Expr) typing { return typing{t.file, x} }

// strip removes pointers and parentheses.
func (t typing) strip() typing {
	for {
		switch x := t.expr.(type) {
		case *ast.StarExpr:
			t.expr = x.X
		case *ast.ParenExpr:
			t.expr = x.X
		default:
			return t
		}
	}
}

// written returns the type that an expression in the piece spells. It is unknown if the expression
// contains a local name, which may be a type parameter.
func (r *reader) written(x ast.Expr) typing {
	if x == nil {
		return typing{}
	}
	sound := true
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && r.isLocal(id.Name) {
			sound = false
		}
		return sound
	})
	if !sound {
		return typing{}
	}
	return typing{r.file, x}
}

// only returns the declaration of a name in scope, if the name has a single declaration and it is
// in the module.
func (c *Code) only(t typing) *declaration {
	var ds []*declaration
	switch x := t.expr.(type) {
	case *ast.Ident:
		ds = t.file.folder.scope[x.Name]
	case *ast.SelectorExpr:
		pkg, ok := x.X.(*ast.Ident)
		if !ok {
			return nil
		}
		for _, im := range t.file.imports {
			if c.followed(im.path) {
				if fo, err := c.open(im.path); err == nil && pkg.Name == cmp.Or(im.name, fo.name) {
					ds = fo.scope[x.Sel.Name]
				}
			}
		}
	}
	if len(ds) != 1 {
		return nil
	}
	return ds[0]
}

// named returns the declaration of a non-generic type of the module, after following aliases.
func (c *Code) named(t typing) *declaration {
	for range 8 { // aliases of aliases; in broken code they may be cyclic
		d := c.only(t.strip())
		if d == nil || d.isType() == nil || d.isType().TypeParams != nil {
			return nil
		}
		if !d.isType().Assign.IsValid() {
			return d
		}
		t = typing{d.file, d.isType().Type}
	}
	return nil
}

// underlying returns the type literal of a type, unknown if it cannot be determined.
func (c *Code) underlying(t typing) typing {
	for range 8 {
		t = t.strip()
		switch t.expr.(type) {
		case *ast.Ident, *ast.SelectorExpr:
			d := c.named(t)
			if d == nil {
				return typing{}
			}
			t = typing{d.file, d.isType().Type}
		default:
			return t
		}
	}
	return typing{}
}

// A member is what x.Name means: a method or a field.
type member struct {
	method *declaration
	field  typing // its type
}

// member looks a name up in a type and its embedded types. ok is false if its meaning cannot be
// determined.
func (c *Code) member(t typing, name string, depth int) (m member, ok bool) {
	if depth > 8 {
		return m, false
	}
	if d := c.named(t); d != nil {
		switch ds := d.file.folder.method(d.name + "." + name); len(ds) {
		case 0:
		case 1:
			return member{method: ds[0]}, true
		default:
			return m, false
		}
		// type X Y has the fields of Y, but not its methods; this case is not handled.
		t = typing{d.file, d.isType().Type}
	}
	s, ok := t.strip().expr.(*ast.StructType)
	if !ok || s.Fields == nil {
		return m, false
	}
	var inner []ast.Expr
	for _, f := range s.Fields.List {
		for _, id := range f.Names {
			if id.Name == name {
				return member{field: t.of(f.Type)}, true
			}
		}
		if len(f.Names) == 0 {
			if embeddedName(f.Type) == name {
				return member{field: t.of(f.Type)}, true
			}
			inner = append(inner, f.Type)
		}
	}
	// Two embedded types may have it at different depths. Here only one may have it.
	if len(inner) != 1 {
		return m, false
	}
	return c.member(t.of(inner[0]), name, depth+1)
}

// embeddedName returns the field name of an embedded type.
func embeddedName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return embeddedName(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return typeName(x)
}

// infer returns the type of an expression.
func (r *reader) infer(x ast.Expr) typing {
	switch x := x.(type) {
	case *ast.Ident:
		if l := r.lookup(x.Name); l != nil {
			return l.typing
		}
	case *ast.ParenExpr:
		return r.infer(x.X)
	case *ast.StarExpr:
		return r.infer(x.X)
	case *ast.SliceExpr:
		return r.infer(x.X)
	case *ast.UnaryExpr:
		switch x.Op {
		case token.AND:
			return r.infer(x.X)
		case token.ARROW:
			if t := r.code.underlying(r.infer(x.X)); t.known() {
				if c, ok := t.expr.(*ast.ChanType); ok {
					return t.of(c.Value)
				}
			}
		}
	case *ast.CompositeLit:
		return r.written(x.Type)
	case *ast.TypeAssertExpr:
		return r.written(x.Type)
	case *ast.IndexExpr:
		return r.element(x.X)
	case *ast.SelectorExpr:
		if m, ok := r.member(x); ok && m.method == nil {
			return m.field
		}
	case *ast.CallExpr:
		if ts := r.results(x); len(ts) == 1 {
			return ts[0]
		}
	}
	return typing{}
}

// member returns the method or field of a selector on a value.
func (r *reader) member(x *ast.SelectorExpr) (member, bool) {
	t := r.infer(x.X)
	if !t.known() {
		return member{}, false
	}
	return r.code.member(t, x.Sel.Name, 0)
}

// element returns the type of the elements of x.
func (r *reader) element(x ast.Expr) typing {
	t := r.code.underlying(r.infer(x))
	switch e := t.expr.(type) {
	case *ast.ArrayType:
		return t.of(e.Elt)
	case *ast.MapType:
		return t.of(e.Value)
	}
	return typing{}
}

// results returns the types of a call's results, nil if unknown.
func (r *reader) results(call *ast.CallExpr) []typing {
	var d *declaration
	switch f := call.Fun.(type) {
	case *ast.Ident:
		if r.isLocal(f.Name) {
			return nil
		}
		if d = r.code.only(typing{r.file, f}); d == nil {
			return r.builtin(f.Name, call.Args)
		}
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && !r.isLocal(x.Name) {
			d = r.code.only(typing{r.file, f})
		} else if m, ok := r.member(f); ok {
			d = m.method
		}
	}
	if d == nil {
		return nil
	}
	if d.isType() != nil {
		return []typing{r.written(call.Fun)} // a conversion
	}
	f, ok := d.node.(*ast.FuncDecl)
	if !ok || f.Type.TypeParams != nil || f.Type.Results == nil {
		return nil
	}
	if f.Recv != nil && len(f.Recv.List) == 1 {
		if _, arguments := typeIdent(f.Recv.List[0].Type); arguments != nil {
			return nil
		}
	}
	var ts []typing
	for _, result := range f.Type.Results.List {
		for range max(1, len(result.Names)) {
			ts = append(ts, typing{d.file, result.Type})
		}
	}
	return ts
}

// builtin handles the built-in functions that keep or name a type.
func (r *reader) builtin(name string, arguments []ast.Expr) []typing {
	if len(arguments) == 0 || r.file.folder.scope[name] != nil {
		return nil
	}
	for _, im := range r.file.imports {
		if im.name == "." {
			return nil
		}
	}
	switch name {
	case "new", "make":
		return []typing{r.written(arguments[0])}
	case "append":
		return []typing{r.infer(arguments[0])}
	}
	return nil
}
