package insight

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"overcomplete/kernel/magic"
)

// The kinds of names, as front ends call them.
const (
	kindFunction = "function"
	kindMethod   = "method"
	kindType     = "class"
	kindVariable = "variable"
	kindField    = "field"
	kindConstant = "constant"
	kindPackage  = "module"
	kindKeyword  = "keyword"
	kindMagic    = "magic"
	kindLabel    = "label"
)

// A candidate is a name that could be inserted at the cursor.
type candidate struct {
	text, kind string
	// far orders equally good matches: it is the number of scopes or embedded structs between the cursor and
	// the declaration.
	far int
	// match, if not empty, is compared with the prefix instead of text.
	match string
}

// The distances of names that are not declared in a scope of the cell or session.
const (
	farSession  = 100
	farImport   = 101
	farUniverse = 102
	farKeyword  = 103
	farUnbound  = 104 // packages that are not imported
	farOutside  = 105 // packages that cells cannot import yet
)

// candidates returns the names that could be inserted at the cursor, the typed prefix, and the start and end of the
// text that the chosen name replaces.
func (in *Insight) candidates(code string, cursor int) (list []candidate, prefix string, start, end int) {
	if word, start, ok := magicAt(code, cursor); ok {
		marks := word[:len(word)-len(strings.TrimLeft(word, "%"))]
		for _, m := range magic.List() {
			if m.Name == magic.Main {
				continue // there is nothing to complete
			}
			if marks == "%" && marks != word && hasLineForm(m.Name) {
				continue // JupyterLab sorts matches of equal rank by name, and would list this command first
			}
			if strings.HasPrefix(m.Name, marks) {
				list = append(list, candidate{text: m.Name, kind: kindMagic, match: strings.TrimLeft(m.Name, "%"), far: strings.Count(m.Name, "%")})
			}
		}
		return list, strings.TrimLeft(word, "%"), start, endOfWord(code, cursor)
	}
	if list, prefix, start, end, ok := in.argument(code, cursor); ok {
		return list, prefix, start, end
	}
	src := in.withoutMagics(code)
	s := spotAt(src, cursor)
	prefix = src[s.start:cursor]
	switch s.place {
	case inText:
		if list, prefix, start, end, ok := inPath(src, cursor); ok {
			return list, prefix, start, end
		}
		if list, prefix, start, end, ok := in.inColumn(src, cursor); ok {
			return list, prefix, start, end
		}
		return nil, "", cursor, cursor
	case inImport:
		return in.importPaths(prefix), prefix, s.start, s.end
	}
	for _, byLine := range []bool{false, true} {
		p := in.completionProgram(src, s.start, cursor, byLine)
		if list = in.namesAt(p, s, prefix); len(list) > 0 {
			break
		}
	}
	return list, prefix, s.start, s.end
}

// hasLineForm reports whether a command for the whole cell, such as %%time, also has a form for one line.
func hasLineForm(name string) bool {
	if !strings.HasPrefix(name, "%%") {
		return false
	}
	_, ok := magic.Find(name[1:])
	return ok
}

// importPaths returns the import paths that may complete the given prefix: first the packages that cells can import
// now, then other packages on this machine. The caller drops the paths that do not match the prefix. If the prefix begins
// an element of a path other than the first, the candidate's match is the rest of the path, from this element on.
func (in *Insight) importPaths(prefix string) (list []candidate) {
	near := in.lib.paths()
	for i, path := range slices.Concat(near, in.available.paths(prefix)) {
		c := candidate{text: path, kind: kindPackage, far: strings.Count(path, "/")}
		if i >= len(near) {
			if _, again := slices.BinarySearch(near, path); again {
				continue
			}
			c.far += farOutside
		}
		if !strings.HasPrefix(path, prefix) {
			for rest := path; ; {
				i := strings.IndexByte(rest, '/')
				if i < 0 {
					break
				}
				if rest = rest[i+1:]; strings.HasPrefix(rest, prefix) {
					c.match = rest
					c.far += 10
				}
			}
		}
		list = append(list, c)
	}
	return list
}

// namesAt returns the names that could replace the identifier at the cursor.
func (in *Insight) namesAt(p *program, s spot, prefix string) (list []candidate) {
	id := p.cursorIdent()
	if id == nil {
		if s.selector {
			return nil
		}
		return in.inScope(p, prefix, anything)
	}
	switch up := p.above(1).(type) {
	case *ast.SelectorExpr:
		if up.Sel == id {
			return p.selectable(up.X)
		}
	case *ast.BranchStmt:
		return p.labels(up.Tok)
	case *ast.FuncDecl, *ast.LabeledStmt, *ast.ImportSpec, *ast.File:
		return nil // the identifier is a new name
	case *ast.TypeSpec:
		if up.Name == id {
			return nil
		}
	case *ast.ValueSpec:
		if slices.Contains(up.Names, id) {
			return nil
		}
		if up.Type == id {
			return in.inScope(p, prefix, typesOnly)
		}
	case *ast.Field:
		if slices.Contains(up.Names, id) {
			return nil
		}
		return in.inScope(p, prefix, typesOnly)
	case *ast.ArrayType:
		if up.Elt == id {
			return in.inScope(p, prefix, typesOnly)
		}
	case *ast.MapType, *ast.ChanType, *ast.Ellipsis:
		return in.inScope(p, prefix, typesOnly)
	case *ast.TypeAssertExpr:
		if up.Type == id {
			return in.inScope(p, prefix, typesOnly)
		}
	case *ast.CompositeLit:
		if up.Type != id {
			fields, keyed := p.literalFields(up)
			if keyed {
				return fields
			}
			return append(fields, in.inScope(p, prefix, expressions)...)
		}
	case *ast.KeyValueExpr:
		if lit, ok := p.above(2).(*ast.CompositeLit); ok && up.Key == id {
			if fields, _ := p.literalFields(lit); len(fields) > 0 {
				return fields
			}
		}
	case *ast.ExprStmt:
		return in.inScope(p, prefix, anything)
	}
	return in.inScope(p, prefix, expressions)
}

// A nameKind is the kind of names allowed at the cursor.
type nameKind int

const (
	anything    nameKind = iota // the start of a statement
	expressions                 // values, and types for conversions
	typesOnly
)

// inScope returns the names of kind w that are visible at the cursor, innermost scope first, whether or not they match
// the given prefix. If the prefix is not empty, the names of packages that are not imported come last.
func (in *Insight) inScope(p *program, prefix string, w nameKind) (list []candidate) {
	seen := map[string]bool{}
	add := func(name, kind string, far int) {
		if seen[name] || strings.HasSuffix(name, "__") || strings.Contains(name, "__") && far >= farSession || name == "_" {
			return
		}
		seen[name] = true
		if w == typesOnly && kind != kindType && kind != kindPackage && kind != kindKeyword {
			return
		}
		list = append(list, candidate{text: name, kind: kind, far: far})
	}
	pos := token.Pos(0)
	if id := p.cursorIdent(); id != nil {
		pos = id.Pos()
	}
	far := 0
	for i := len(p.path) - 1; i >= 0; i-- {
		n := p.path[i]
		switch f := n.(type) {
		case *ast.FuncLit:
			n = f.Type
		case *ast.FuncDecl:
			n = f.Type
		}
		scope := p.info.Scopes[n]
		if _, isFile := n.(*ast.File); scope == nil || isFile {
			continue
		}
		for _, name := range scope.Names() {
			// Skip names that are declared after the cursor.
			if at, obj := scope.LookupParent(name, pos); obj != nil && at == scope {
				add(name, kindOf(obj), far)
			}
		}
		far++
	}
	for name := range p.isOwn {
		if obj := p.pkg.Scope().Lookup(name); obj != nil {
			add(name, kindOf(obj), min(far, farSession))
		}
	}
	for name, kind := range in.known.kinds {
		if !strings.Contains(name, ".") {
			add(name, kind, farSession)
		}
	}
	for _, path := range append(slices.Clone(in.known.dots), p.dots...) {
		if pkg := in.lib.types(path); pkg != nil {
			for _, name := range in.lib.exported(pkg) {
				add(name, kindOf(pkg.Scope().Lookup(name)), farImport)
			}
		}
	}
	if file, ok := first(p.path).(*ast.File); ok {
		if scope := p.info.Scopes[file]; scope != nil {
			for _, name := range scope.Names() {
				if p.added[name] == "" {
					add(name, kindPackage, farImport)
				}
			}
		}
	}
	for name := range in.known.imports {
		add(name, kindPackage, farImport)
	}
	for _, name := range types.Universe.Names() {
		add(name, kindOf(types.Universe.Lookup(name)), farUniverse)
	}
	for word, k := range keywords {
		if k.takes(w) {
			add(word, kindKeyword, farKeyword)
		}
	}
	if prefix != "" { // without a prefix there would be too many to be useful
		for _, path := range in.lib.paths() {
			if e, _ := in.lib.lookup(path); !seen[e.Name] {
				add(e.Name, kindPackage, farUnbound)
			}
		}
		for _, p := range in.available.Direct() {
			add(p.Name, kindPackage, farUnbound)
		}
	}
	return list
}

func first(path []ast.Node) ast.Node {
	if len(path) == 0 {
		return nil
	}
	return path[0]
}

func kindOf(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.Func:
		if obj.Signature().Recv() != nil {
			return kindMethod
		}
		return kindFunction
	case *types.Builtin:
		return kindFunction
	case *types.TypeName:
		return kindType
	case *types.Const, *types.Nil:
		return kindConstant
	case *types.PkgName:
		return kindPackage
	case *types.Var:
		if obj.IsField() {
			return kindField
		}
	}
	return kindVariable
}

// labels returns the labels that a break, continue or goto statement at the cursor could use.
func (p *program) labels(tok token.Token) (list []candidate) {
	for i := len(p.path) - 1; i >= 0; i-- {
		switch n := p.path[i].(type) {
		case *ast.LabeledStmt:
			list = append(list, candidate{text: n.Label.Name, kind: kindLabel})
		case *ast.FuncLit, *ast.FuncDecl:
			if tok == token.GOTO {
				ast.Inspect(n, func(n ast.Node) bool {
					if l, ok := n.(*ast.LabeledStmt); ok {
						list = append(list, candidate{text: l.Label.Name, kind: kindLabel})
					}
					return true
				})
			}
			return list
		}
	}
	return list
}

// keyword describes a keyword of Go.
type keyword struct {
	statement, expression, typ bool // whether it may begin a statement, an expression or a type
	form, doc                  string
}

func (k keyword) takes(w nameKind) bool {
	switch w {
	case anything:
		return k.statement || k.expression
	case expressions:
		return k.expression
	}
	return k.typ
}
