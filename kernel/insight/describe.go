package insight

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/apidoc"
)

// mostMembers is the largest number of methods listed for a type.
const mostMembers = 40

// describeObject describes obj. If obj is a field, owner is the name of the struct type that contains the field. If
// obj is a method, owner is the name of the type on whose value the method is called. owner is "" if the selection
// does not determine the type.
func (in *Insight) describeObject(p *program, obj types.Object, owner, src string, detail int) *description {
	d := &description{}
	symbol, documented := obj.Name(), ""
	switch o := obj.(type) {
	case *types.Func:
		obj = o.Origin()
		d.code = signature(o)
		if recv := o.Signature().Recv(); recv != nil {
			if n := namedOf(recv.Type()); n != nil {
				symbol = n.Obj().Name() + "." + o.Name()
				if !n.Obj().Exported() && owner != "" {
					documented = owner + "." + o.Name() // the method of an embedded unexported type
				}
			}
		}
	case *types.Var:
		what := "var"
		if o.IsField() {
			what = "field"
			if owner == "" {
				owner = ownerOf(o)
			}
			if owner != "" {
				symbol = owner + "." + o.Name()
			}
		} else if o.Kind() == types.ParamVar || o.Kind() == types.RecvVar {
			what = "parameter"
		}
		name := symbol
		if o.Pkg() != nil && o.Pkg() != p.pkg && (what != "field" || owner != "") {
			name = o.Pkg().Name() + "." + symbol // a field of an unnamed struct has no owner
		}
		if what == "var" {
			d.code = fmt.Sprintf("var %s %s", name, types.TypeString(o.Type(), qualifier))
		} else {
			d.code = fmt.Sprintf("%s %s // %s", name, types.TypeString(o.Type(), qualifier), what)
		}
		if o.Pkg() == p.pkg && (o.Parent() == p.pkg.Scope() || what == "var" && o.Parent() == p.cellScope()) {
			in.describeVariable(d, o.Name(), detail)
			return d
		}
	case *types.Const:
		d.code = constant(o)
	case *types.TypeName:
		d.code = typeText(o, p.pkg)
		d.notes = append(d.notes, methodList(o, p.pkg)...)
	case *types.Builtin:
		d.code = builtins[o.Name()]
		if o.Pkg() != nil {
			d.code = "func unsafe." + o.Name()
		}
	case *types.Nil:
		d.code = "var nil Type // a pointer, channel, func, interface, map, or slice type"
	case *types.Label:
		d.code = o.Name() + ":"
	default:
		d.code = types.ObjectString(obj, qualifier)
	}
	switch pkg := obj.Pkg(); {
	case pkg == nil:
		if n := symbol; n == "Error" || n == "error.Error" {
			symbol = "error"
		}
		d.doc = apidoc.Doc(apidoc.Builtin, symbol)
	case pkg == p.pkg:
		in.describeDeclaration(d, p, symbol, src, detail)
	default:
		d.path = pkg.Path()
		d.doc = in.lib.doc(d.path, cmp.Or(documented, symbol))
		if i := strings.IndexByte(symbol, '.'); i >= 0 && d.doc == "" {
			if o, ok := obj.(*types.Var); ok && o.IsField() {
				d.doc = in.lib.doc(d.path, symbol[:i]) // the type's comment often explains fields
			}
		}
		if _, ok := in.lib.lookup(d.path); ok && p.addedPath(d.path) {
			d.notes = append(d.notes, fmt.Sprintf("not imported yet: import %q", d.path))
		}
		if detail > 0 {
			text, file, line := in.sourceOf(d.path, symbol)
			if d.source = text; text != "" {
				d.notes = append(d.notes, fmt.Sprintf("declared in %s line %d", file, line))
			}
		}
	}
	return d
}

func (p *program) addedPath(path string) bool {
	for _, added := range p.added {
		if added == path {
			return true
		}
	}
	return false
}

// signature returns a function's declaration without its body.
func signature(f *types.Func) string {
	sig := f.Signature()
	name := f.Name()
	if recv := sig.Recv(); recv != nil {
		return fmt.Sprintf("func (%s) %s%s", strings.TrimSpace(recv.Name()+" "+types.TypeString(recv.Type(), qualifier)), name, tail(sig))
	}
	if f.Pkg() != nil && qualifier(f.Pkg()) != "" {
		name = f.Pkg().Name() + "." + name
	}
	return "func " + name + tail(sig)
}

// tail returns the text of a signature without the keyword func.
func tail(sig *types.Signature) string {
	return strings.TrimPrefix(types.TypeString(sig, qualifier), "func")
}

func constant(c *types.Const) string {
	name := c.Name()
	if c.Pkg() != nil && qualifier(c.Pkg()) != "" {
		name = c.Pkg().Name() + "." + name
	}
	typ := " " + types.TypeString(c.Type(), qualifier)
	if b, ok := c.Type().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		typ = ""
	}
	return fmt.Sprintf("const %s%s = %s", name, typ, c.Val())
}

// typeText returns a type's declaration, reduced to the fields that cells can use.
func typeText(o *types.TypeName, from *types.Package) string {
	name := o.Name()
	if o.Pkg() != nil && qualifier(o.Pkg()) != "" {
		name = o.Pkg().Name() + "." + name
	}
	if _, ok := o.Type().(*types.Basic); ok {
		return "type " + name
	}
	if a, ok := o.Type().(*types.Alias); ok {
		return fmt.Sprintf("type %s = %s", name, types.TypeString(a.Rhs(), qualifier))
	}
	if n, ok := o.Type().(*types.Named); ok && n.TypeParams().Len() > 0 {
		var params []string
		for tp := range n.TypeParams().TypeParams() {
			params = append(params, tp.Obj().Name()+" "+types.TypeString(tp.Constraint(), qualifier))
		}
		name += "[" + strings.Join(params, ", ") + "]"
	}
	var b strings.Builder
	switch u := o.Type().Underlying().(type) {
	case *types.Struct:
		fmt.Fprintf(&b, "type %s struct {", name)
		hidden := 0
		for f := range u.Fields() {
			switch {
			case !f.Exported() && f.Pkg() != from:
				hidden++
			case f.Embedded():
				fmt.Fprintf(&b, "\n\t%s", types.TypeString(f.Type(), qualifier))
			default:
				fmt.Fprintf(&b, "\n\t%s %s", f.Name(), types.TypeString(f.Type(), qualifier))
			}
		}
		if hidden > 0 {
			fmt.Fprintf(&b, "\n\t// and unexported fields")
		}
		if hidden > 0 || u.NumFields() > 0 {
			b.WriteByte('\n')
		}
		b.WriteByte('}')
	case *types.Interface:
		fmt.Fprintf(&b, "type %s interface {", name)
		for m := range u.ExplicitMethods() {
			fmt.Fprintf(&b, "\n\t%s%s", m.Name(), tail(m.Signature()))
		}
		for e := range u.EmbeddedTypes() {
			fmt.Fprintf(&b, "\n\t%s", types.TypeString(e, qualifier))
		}
		if u.NumExplicitMethods()+u.NumEmbeddeds() > 0 {
			b.WriteByte('\n')
		}
		b.WriteByte('}')
	default:
		fmt.Fprintf(&b, "type %s %s", name, types.TypeString(u, qualifier))
	}
	return b.String()
}

// methodList returns a note that lists the methods of a type, or no note if there are none.
func methodList(o *types.TypeName, from *types.Package) []string {
	if types.IsInterface(o.Type()) {
		return nil
	}
	var names []string
	for _, s := range methodsOf(o.Type()) {
		if s.Obj().Exported() || s.Obj().Pkg() == from {
			names = append(names, s.Obj().Name())
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	if n := len(names); n > mostMembers {
		names = append(names[:mostMembers], fmt.Sprintf("and %d more", n-mostMembers))
	}
	return []string{"methods: " + strings.Join(names, ", ")}
}

// cellScope returns the scope of the variables that the cell's own statements declare. These variables become
// session variables when the cell runs.
func (p *program) cellScope() *types.Scope {
	for _, n := range p.path {
		if fn, ok := n.(*ast.FuncDecl); ok && fn.Name.Name == cellFunc {
			return p.info.Scopes[fn.Type]
		}
	}
	return nil
}

// ownerOf returns the name of the struct type in v's package that has the field v.
func ownerOf(v *types.Var) string {
	if v.Pkg() == nil {
		return ""
	}
	scope := v.Pkg().Scope()
	for _, name := range scope.Names() {
		if t, ok := scope.Lookup(name).(*types.TypeName); ok {
			if s, ok := t.Type().Underlying().(*types.Struct); ok {
				for f := range s.Fields() {
					if f == v || f == v.Origin() {
						return name
					}
				}
			}
		}
	}
	return ""
}

// describeVariable adds to d what the session knows about a variable.
func (in *Insight) describeVariable(d *description, name string, detail int) {
	for _, v := range in.known.names.Variables {
		if v.Name != name {
			continue
		}
		d.notes = append(d.notes, "variable of "+v.Cell.Name)
		if strings.HasSuffix(d.code, " invalid type") {
			d.code = fmt.Sprintf("var %s %s", name, v.Type)
		}
		if detail > 0 {
			d.source = in.definition(v.Cell.Source, name)
		}
	}
	if in.session == nil {
		return
	}
	in.session.Peek(name, func(pointer any) { d.value = preview(pointer) })
}

// definition returns the statement in a cell's source that declares the given variable.
func (in *Insight) definition(src, name string) string {
	for _, c := range cellsyntax.Split(src) {
		if c.Kind != cellsyntax.Stmt {
			continue
		}
		text := src[c.Start:c.End]
		base := in.fset.Base()
		part, _ := in.parse(c.Kind, text, -1)
		in.forgetFiles(base)
		if part == nil {
			continue
		}
		for _, st := range statements(part.file) {
			switch st := st.(type) {
			case *ast.AssignStmt:
				for _, l := range st.Lhs {
					if id, ok := l.(*ast.Ident); ok && st.Tok == token.DEFINE && id.Name == name {
						return text
					}
				}
			case *ast.DeclStmt:
				for _, n := range cellsyntax.Declared(st.Decl) {
					if n == name {
						return text
					}
				}
			}
		}
	}
	return ""
}

// describeDeclaration adds to d the doc comment and the source of a declaration in this cell or an earlier one.
func (in *Insight) describeDeclaration(d *description, p *program, symbol, src string, detail int) {
	top, member, _ := strings.Cut(symbol, ".")
	cells := []engine.Cell{{Source: src}}
	if !p.isOwn[symbol] && (member == "" || !p.isOwn[top]) {
		for _, decl := range in.known.names.Decls {
			for _, name := range decl.Names {
				if name == symbol || name == top && member != "" {
					cells = append(cells, decl.Cell)
				}
			}
		}
	}
	for i := len(cells) - 1; i >= 0; i-- {
		doc, source, ok := declarationIn(cells[i].Source, symbol)
		if !ok {
			continue
		}
		d.doc = doc
		if cells[i].Name != "" {
			d.notes = append(d.notes, "declared in "+cells[i].Name)
		}
		if detail > 0 {
			d.source = source
		}
		return
	}
	// Commands have split the cell, so its text differs from what the user wrote. Show the declaration without
	// its comment.
	for _, decl := range in.known.names.Decls {
		if detail > 0 && slices.Contains(decl.Names, symbol) && !p.isOwn[symbol] {
			d.source = decl.Source
		}
	}
}

// declarationIn finds a declaration and its comment in a cell.
func declarationIn(src, symbol string) (doc, source string, ok bool) {
	top, member, _ := strings.Cut(symbol, ".")
	from := 0
	for _, c := range cellsyntax.Split(src) {
		text := src[from:c.End]
		begin := c.Start - from
		from = c.End
		if c.Kind != cellsyntax.Decl {
			continue
		}
		const head = "package main\n" // a comment on the line of the package clause would not be a doc comment
		f, err := parser.ParseFile(token.NewFileSet(), "", head+text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil || len(f.Decls) == 0 {
			continue
		}
		whole := func(doc *ast.CommentGroup) string {
			if doc != nil {
				begin = min(begin, int(doc.Pos()-f.FileStart)-len(head))
			}
			return text[begin:]
		}
		switch d := f.Decls[0].(type) {
		case *ast.FuncDecl:
			if cellsyntax.Declared(d)[0] == symbol {
				return d.Doc.Text(), whole(d.Doc), true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.Name != top {
						continue
					}
					doc := spec.Doc.Text()
					if doc == "" {
						doc = d.Doc.Text()
					}
					if member != "" {
						if doc, ok = memberComment(spec.Type, member); !ok {
							continue // methods are declared elsewhere
						}
					}
					return doc, whole(d.Doc), true
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						if id.Name != symbol {
							continue
						}
						doc := spec.Doc.Text()
						if doc == "" {
							doc = spec.Comment.Text()
						}
						if doc == "" {
							doc = d.Doc.Text()
						}
						return doc, whole(d.Doc), true
					}
				}
			}
		}
	}
	return "", "", false
}

// memberComment returns the comment of the struct field or interface method that is called name. ok is false if the
// type t has no such member.
func memberComment(t ast.Expr, name string) (doc string, ok bool) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return "", false
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			if id.Name == name {
				if doc = f.Doc.Text(); doc == "" {
					doc = f.Comment.Text()
				}
				return doc, true
			}
		}
	}
	return "", false
}

// builtins maps the names of Go's built-in functions to their signatures.
var builtins = map[string]string{
	"append":  "func append(slice []Type, elems ...Type) []Type",
	"cap":     "func cap(v Type) int",
	"clear":   "func clear[T ~[]Type | ~map[Type]Type1](t T)",
	"close":   "func close(c chan<- Type)",
	"complex": "func complex(r, i FloatType) ComplexType",
	"copy":    "func copy(dst, src []Type) int",
	"delete":  "func delete(m map[Type]Type1, key Type)",
	"imag":    "func imag(c ComplexType) FloatType",
	"len":     "func len(v Type) int",
	"make":    "func make(t Type, size ...IntegerType) Type",
	"max":     "func max[T cmp.Ordered](x T, y ...T) T",
	"min":     "func min[T cmp.Ordered](x T, y ...T) T",
	"new":     "func new(expr or Type) *Type",
	"panic":   "func panic(v any)",
	"print":   "func print(args ...Type)",
	"println": "func println(args ...Type)",
	"real":    "func real(c ComplexType) FloatType",
	"recover": "func recover() any",
}
