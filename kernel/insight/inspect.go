package insight

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/token"
	"go/types"
	"strings"

	"overcomplete/internal/module"
	"overcomplete/kernel/magic"
	"overcomplete/ui/display"
)

// A description is the content of Inspect's answer.
type description struct {
	code   string // the declaration as Go source
	now    string // in a call, the parameter at the cursor
	value  string // value of a variable
	notes  []string
	doc    string // a doc comment, without comment markers
	path   string // import path of the package that contains doc
	source string // source of the declaration, or "" if it was not requested
}

// data returns d as plain text and as Markdown.
func (d *description) data(lib *library) display.Data {
	// Text in brackets becomes a link if it names a symbol.
	p := comment.Parser{LookupSym: func(recv, name string) bool {
		pkg := lib.types(d.path)
		if pkg == nil {
			return false
		}
		if recv != "" {
			name = recv
		}
		return pkg.Scope().Lookup(name) != nil
	}}
	parsed := p.Parse(d.doc)
	printer := &comment.Printer{HeadingLevel: 4, TextWidth: 80, DocLinkURL: func(l *comment.DocLink) string {
		path := l.ImportPath
		if path == "" {
			path = d.path
		}
		if path == "" || module.Has(path) || lib.isLocal(path) {
			return ""
		}
		name := l.Name
		if l.Recv != "" {
			name = l.Recv + "." + name
		}
		return "https://pkg.go.dev/" + path + "#" + name
	}}
	var text, md []string
	text = append(text, d.code)
	md = append(md, "```go\n"+d.code+"\n```")
	add := func(plain, marked string) {
		if plain != "" {
			text, md = append(text, plain), append(md, marked)
		}
	}
	add(d.now, "**"+strings.ReplaceAll(d.now, "*", `\*`)+"**")
	if d.value != "" {
		add("value: "+d.value, "```\n"+d.value+"\n```")
	}
	for _, n := range d.notes {
		add(n, n)
	}
	if d.doc != "" {
		add(strings.TrimRight(string(printer.Text(parsed)), "\n"), strings.TrimRight(string(printer.Markdown(parsed)), "\n"))
	}
	if d.source != "" {
		add(d.source, "```go\n"+d.source+"\n```")
	}
	return display.Data{Data: map[string]any{
		display.MIMETypeText:     strings.Join(text, "\n\n"),
		display.MIMETypeMarkdown: strings.Join(md, "\n\n"),
	}}
}

// describe finds the symbol at the cursor and describes it.
func (in *Insight) describe(code string, cursor, detail int) (*description, bool) {
	if word, start, ok := magicAt(code, cursor); ok {
		word = code[start:max(endOfWord(code, cursor), start+len(word))]
		m, ok := magic.Find(word)
		return &description{code: m.Usage, doc: m.Doc}, ok
	}
	src := in.withoutMagics(code)
	s := spotAt(src, cursor)
	if s.place == inImport {
		return in.packageDescription(src[s.start:s.end])
	}
	if s.place == inCode && s.start < s.end {
		word := src[s.start:s.end]
		if k, ok := keywords[word]; ok {
			return &description{code: k.form, doc: k.doc}, true
		}
		if p := in.inspectionProgram(src, s.start, s.end); p != nil && p.cursorIdent() != nil {
			if d, ok := in.describeIdent(p, src, detail); ok {
				return d, true
			}
		}
		if paths := in.lib.named(word); len(paths) > 0 && !s.selector {
			d, ok := in.packageDescription(paths[0])
			if ok {
				d.notes = append(d.notes, fmt.Sprintf("not imported yet: import %q", paths[0]))
			}
			if ok && len(paths) > 1 {
				d.notes = append(d.notes, "also called "+word+": "+strings.Join(paths[1:], ", "))
			}
			return d, ok
		}
		return nil, false
	}
	return in.describeCall(src, cursor, detail)
}

// describeIdent describes the identifier at the program's cursor. The second result is false if it is not known what
// the identifier denotes.
func (in *Insight) describeIdent(p *program, src string, detail int) (*description, bool) {
	id := p.cursorIdent()
	obj := p.object(id)
	if obj == nil {
		return nil, false
	}
	if pkg, ok := obj.(*types.PkgName); ok {
		return in.packageDescription(pkg.Imported().Path())
	}
	owner := ""
	if sel, ok := p.above(1).(*ast.SelectorExpr); ok && sel.Sel == id {
		owner = selectedOwner(p.info.Selections[sel])
	}
	if lit, ok := p.above(2).(*ast.CompositeLit); ok && owner == "" {
		if n := namedOf(p.info.TypeOf(lit)); n != nil {
			owner = n.Obj().Name()
		}
	}
	return in.describeObject(p, obj, owner, src, detail), true
}

// selectedOwner returns the name of the type to which a selected field or method belongs. For a field, this is the
// struct type that declares the field, which may be embedded. For a method, it is the type of x in x.M, or the type to
// which x points. selectedOwner returns "" if s is nil or the type has no name.
func selectedOwner(s *types.Selection) string {
	if s == nil {
		return ""
	}
	t := s.Recv()
	if s.Kind() != types.FieldVal {
		if n := namedOf(t); n != nil {
			return n.Obj().Name()
		}
		return ""
	}
	for _, i := range s.Index()[:len(s.Index())-1] {
		st, ok := structOf(t)
		if !ok {
			return ""
		}
		t = st.Field(i).Type()
	}
	if n := namedOf(t); n != nil {
		return n.Obj().Name()
	}
	return ""
}

// namedOf returns t if it is a named type, or the named type to which t points, or nil.
func namedOf(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// describeCall describes the innermost call or struct literal around the cursor: for a call, the called function and
// its parameter at the cursor; for a literal, its type. The second result is false if there is nothing to describe.
func (in *Insight) describeCall(src string, cursor, detail int) (*description, bool) {
	cut := operandStart(src, cursor)
	if cut < 0 {
		return nil, false
	}
	p := in.completionProgram(src[:cut]+" ", cut+1, cut+1, false)
	id := p.cursorIdent()
	if id == nil {
		return nil, false
	}
	var inner ast.Node = id
	for i := len(p.path) - 2; i >= 0; i-- {
		switch n := p.path[i].(type) {
		case *ast.CallExpr:
			if n.Fun != inner {
				if d, ok := in.describeCallee(p, n, src, detail); ok {
					return d, true
				}
			}
		case *ast.CompositeLit:
			if t := namedOf(p.info.TypeOf(n)); t != nil {
				return in.describeObject(p, t.Obj(), "", src, detail), true
			}
		case *ast.BlockStmt:
			return nil, false
		}
		inner = p.path[i]
	}
	return nil, false
}

// operandStart returns the start of the operand at the cursor. The operand starts after the last open bracket,
// or after the last comma directly inside that bracket. operandStart returns -1 if no bracket is open.
func operandStart(src string, cursor int) int {
	var starts []int
	for _, t := range lex(src, false) {
		if t.end > cursor {
			break
		}
		switch t.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			starts = append(starts, t.end)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(starts) > 0 {
				starts = starts[:len(starts)-1]
			}
		case token.COMMA:
			if len(starts) > 0 {
				starts[len(starts)-1] = t.end
			}
		}
	}
	if len(starts) == 0 {
		return -1
	}
	return starts[len(starts)-1]
}

func (in *Insight) describeCallee(p *program, call *ast.CallExpr, src string, detail int) (*description, bool) {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var d *description
	var obj types.Object
	switch x := fun.(type) {
	case *ast.Ident:
		obj = p.info.Uses[x]
	case *ast.SelectorExpr:
		obj = p.info.Uses[x.Sel]
	}
	t := p.info.TypeOf(call.Fun)
	if obj != nil {
		owner := ""
		if sel, ok := fun.(*ast.SelectorExpr); ok {
			owner = selectedOwner(p.info.Selections[sel])
		}
		d = in.describeObject(p, obj, owner, src, detail)
		if t == nil || t == types.Typ[types.Invalid] {
			t = obj.Type() // a generic function whose type arguments are still unknown
		}
	} else if t != nil && t != types.Typ[types.Invalid] {
		d = &description{code: types.TypeString(t, qualifier)}
	} else {
		return nil, false
	}
	sig, ok := t.Underlying().(*types.Signature)
	if !ok {
		return d, true // a conversion
	}
	n := 0
	for i, a := range call.Args {
		if a.Pos() <= p.cursorIdent().Pos() {
			n = i
		}
	}
	params := sig.Params()
	if params.Len() == 0 {
		return d, true
	}
	at := n
	if at >= params.Len() {
		if !sig.Variadic() {
			d.now = fmt.Sprintf("%d parameters, but this is one more", params.Len())
			return d, true
		}
		at = params.Len() - 1
	}
	v := params.At(at)
	text := types.TypeString(v.Type(), qualifier)
	if sig.Variadic() && at == params.Len()-1 {
		text = "..." + strings.TrimPrefix(text, "[]")
	}
	d.now = fmt.Sprintf("parameter %d of %d: %s", at+1, params.Len(), strings.TrimSpace(v.Name()+" "+text))
	return d, true
}

// qualifier returns the name by which cells refer to a package, or "" if they need none.
func qualifier(p *types.Package) string {
	if p.Path() == "main" || p.Path() == hiddenPath {
		return ""
	}
	return p.Name()
}

func (in *Insight) packageDescription(path string) (*description, bool) {
	e, ok := in.lib.lookup(path)
	if !ok {
		return nil, false
	}
	d := &description{
		code: fmt.Sprintf("package %s // import %q", e.Name, path),
		doc:  in.lib.doc(path, ""), path: path,
	}
	if p := in.lib.source[path]; p != nil {
		d.notes = append(d.notes, p.origin())
	}
	return d, true
}
