package apidoc

import (
	"go/ast"
	"go/doc"
	"go/token"
	"maps"
	"strings"
)

// longestDoc is the maximum length of a doc comment, in bytes.
const longestDoc = 8000

// Comments returns the doc comments of a package's exported symbols, by symbol, in the form in which Doc returns them.
// The files must be parsed with comments, and must not be used afterward.
func Comments(path string, fset *token.FileSet, files []*ast.File) (map[string]string, error) {
	// Without AllDecls, methods of unexported types that are embedded in an embedded type would be missing.
	d, err := doc.NewFromFiles(fset, files, path, doc.AllDecls)
	if err != nil {
		return nil, err
	}
	c := comments{}
	c.put("", d.Doc)
	c.funcs(d.Funcs, "")
	c.values(d.Consts)
	c.values(d.Vars)
	for _, t := range d.Types {
		c.put(t.Name, t.Doc)
		c.funcs(t.Funcs, "")
		c.funcs(t.Methods, t.Name+".")
		c.values(t.Consts)
		c.values(t.Vars)
		for _, spec := range t.Decl.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok && spec.Name.Name == t.Name {
				c.fields(t.Name, spec.Type)
			}
		}
	}
	if path != Builtin { // names of package builtin are not exported
		maps.DeleteFunc(c, func(symbol, _ string) bool { return symbol != "" && !exported(symbol) })
	}
	return c, nil
}

// exported reports whether a symbol, and the type to which it belongs, are exported.
func exported(symbol string) bool {
	typ, member, ok := strings.Cut(symbol, ".")
	return token.IsExported(typ) && (!ok || token.IsExported(member))
}

type comments map[string]string

func (c comments) put(symbol, text string) {
	if text = short(text); text != "" {
		c[symbol] = text
	}
}

func (c comments) funcs(list []*doc.Func, prefix string) {
	for _, f := range list {
		c.put(prefix+f.Name, f.Doc)
	}
}

func (c comments) values(list []*doc.Value) {
	for _, v := range list {
		for _, spec := range v.Decl.Specs {
			spec := spec.(*ast.ValueSpec)
			text := either(spec.Doc, spec.Comment)
			if text == "" || v.Doc != "" && !v.Decl.Lparen.IsValid() {
				text = v.Doc // doc comment of the group, or of the single spec
			}
			for _, id := range spec.Names {
				c.put(id.Name, text)
			}
		}
	}
}

// fields adds the comments of the fields of t if t is a struct type, or of the methods of t if t is an interface type.
// name is the name of t.
func (c comments) fields(name string, t ast.Expr) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			c.put(name+"."+id.Name, either(f.Doc, f.Comment))
		}
	}
}

// either returns the text of the comment above a declaration or, if there is none, of the comment at the end of the
// declaration's line.
func either(above, behind *ast.CommentGroup) string {
	if text := above.Text(); text != "" {
		return text
	}
	return behind.Text()
}

// short cuts a very long comment at the end of a paragraph.
func short(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= longestDoc {
		return text
	}
	cut := strings.LastIndex(text[:longestDoc], "\n\n")
	if cut < 0 {
		cut = strings.LastIndexByte(text[:longestDoc], '\n')
	}
	return text[:max(cut, 0)] + "\n\n(and more)"
}
