package insight

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"strconv"
	"strings"

	"overcomplete/kernel/bind"
	"overcomplete/kernel/cellsyntax"
)

// A program is the typed syntax tree of the session and the cell together.
type program struct {
	lib  *library
	pkg  *types.Package
	info *types.Info
	// path has the nodes from the outermost one to the identifier at the cursor, which is the last element. It
	// is nil if the parser has dropped the identifier.
	path []ast.Node
	// isOwn holds the names that the cell's own top-level declarations declare.
	isOwn map[string]bool
	// dots are the packages that the cell imports with a dot.
	dots []string
	// added has the paths, by name, of the packages that the program imports because the cell uses them
	// without importing them.
	added map[string]string
}

// cursorIdent returns the identifier at the cursor.
func (p *program) cursorIdent() *ast.Ident {
	if len(p.path) == 0 {
		return nil
	}
	return p.path[len(p.path)-1].(*ast.Ident)
}

// above returns the i-th node above the identifier, or nil.
func (p *program) above(i int) ast.Node {
	if k := len(p.path) - 1 - i; k >= 0 {
		return p.path[k]
	}
	return nil
}

// The names that a program adds to a cell.
const (
	cellFunc   = "cell__"
	hiddenName = "hidden__"
	hiddenPath = "hidden__"
)

// A cellPart is a parsed piece of the cell.
type cellPart struct {
	kind  cellsyntax.Kind
	file  *ast.File
	ident *ast.Ident // the identifier at the cursor, if it is in this part
}

// build returns the program that consists of the session and the given parts of the cell. The program's cursor is at
// the identifier that one of the parts contains.
func (in *Insight) build(parts []*cellPart) *program {
	known := in.current()
	f := &ast.File{Name: ast.NewIdent("main")}
	p := &program{lib: in.lib, isOwn: map[string]bool{}, added: map[string]string{}}
	var decls []ast.Decl
	var body []ast.Stmt
	imports := map[string]bool{}
	addImport := func(name, path string) {
		spec := &ast.ImportSpec{Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}}
		if name != "" {
			spec.Name = ast.NewIdent(name)
		}
		f.Decls = append(f.Decls, &ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{spec}})
	}
	var at *ast.Ident
	for _, part := range parts {
		if part.ident != nil {
			at = part.ident
		}
		switch part.kind {
		case cellsyntax.Import:
			for _, spec := range part.file.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					continue
				}
				name := ""
				if now := bind.Current(path); now != path {
					name, path = path[strings.LastIndexByte(path, '/')+1:], now
				}
				if spec.Name != nil {
					name = spec.Name.Name
				} else if e, ok := in.lib.lookup(path); ok && name == "" {
					name = e.Name
				}
				if name == "_" || imports[name] {
					continue
				}
				if name == "." {
					p.dots = append(p.dots, path)
				}
				imports[name] = name != "."
				addImport(name, path)
			}
		case cellsyntax.Decl:
			for _, d := range part.file.Decls {
				for _, name := range cellsyntax.Declared(d) {
					p.isOwn[name] = true
				}
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					decls = append(decls, d)
					continue
				}
				if part.ident == nil || fn.Body == nil || !generic(fn) {
					decls = append(decls, bodiless(fn))
				} else {
					decls = append(decls, fn)
				}
				if part.ident != nil && fn.Body != nil && !generic(fn) {
					body = append(body, asLiteral(fn))
				}
			}
		case cellsyntax.Stmt:
			body = append(body, statements(part.file)...)
		}
	}
	for name, path := range known.imports {
		if !imports[name] && !p.isOwn[name] {
			imports[name] = true
			addImport(name, path)
		}
	}
	for _, path := range known.dots {
		addImport(".", path)
	}
	for name, path := range known.typeImports {
		addImport(name, path)
	}
	addImport(hiddenName, hiddenPath)
	// Import the packages that the cell uses without importing them. Predeclared packages are among the
	// session's imports.
	for _, part := range parts {
		ast.Inspect(part.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			id, ok := sel.X.(*ast.Ident)
			if !ok || imports[id.Name] || p.isOwn[id.Name] || known.declares[id.Name] {
				return true
			}
			if paths := in.lib.named(id.Name); len(paths) > 0 {
				imports[id.Name] = true
				p.added[id.Name] = paths[0]
				addImport(id.Name, paths[0])
			}
			return true
		})
	}
	f.Decls = append(f.Decls, decls...)
	for _, d := range known.reach(parts) {
		if !p.isOwn[d.name] {
			f.Decls = append(f.Decls, d.node)
		}
	}
	f.Decls = append(f.Decls, &ast.FuncDecl{
		Name: ast.NewIdent(cellFunc),
		Type: &ast.FuncType{Params: &ast.FieldList{}},
		Body: &ast.BlockStmt{List: body},
	})

	p.pkg = types.NewPackage("main", "main")
	p.info = &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Implicits:  map[ast.Node]types.Object{},
		Scopes:     map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := &types.Config{
		Importer:                 known,
		Sizes:                    types.SizesFor("gc", runtime.GOARCH),
		Error:                    func(error) {}, // expected: an unfinished cell has many errors
		DisableUnusedImportCheck: true,
	}
	types.NewChecker(conf, in.fset, p.pkg, p.info).Files([]*ast.File{f})
	if at != nil {
		p.path = pathTo(f, at)
	}
	return p
}

// generic reports whether fn is generic and therefore cannot become a function literal.
func generic(fn *ast.FuncDecl) bool {
	if fn.Type.TypeParams != nil {
		return true
	}
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return false
	}
	t := fn.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	_, plain := t.(*ast.Ident)
	return !plain
}

func bodiless(fn *ast.FuncDecl) *ast.FuncDecl {
	c := *fn
	c.Body = nil
	return &c
}

// asLiteral returns the statement _ = func(receiver, parameters...) results { body }.
func asLiteral(fn *ast.FuncDecl) ast.Stmt {
	typ := *fn.Type
	if fn.Recv != nil {
		params := &ast.FieldList{List: append([]*ast.Field(nil), fn.Recv.List...)}
		if fn.Type.Params != nil {
			params.List = append(params.List, fn.Type.Params.List...)
		}
		typ.Params = params
	}
	lit := &ast.FuncLit{Type: &typ, Body: fn.Body}
	return &ast.AssignStmt{Lhs: []ast.Expr{ast.NewIdent("_")}, Tok: token.ASSIGN, Rhs: []ast.Expr{lit}}
}

// pathTo returns the nodes on the path from the root of a tree to the target. A function may be in the tree twice, as a
// declaration and as a literal; then pathTo returns the path through the literal.
func pathTo(root ast.Node, target ast.Node) (path []ast.Node) {
	var stack []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if n == target {
			path = append([]ast.Node(nil), stack...) // keep the last path, because a literal comes after its declaration
		}
		return true
	})
	return path
}

// parts splits src into pieces that parse; the last piece is completed if necessary. found is true if a piece contains
// the identifier whose offset is start. If byLine is true, the last piece is assumed to have errors above the cursor's
// line (see mendByLine).
func (in *Insight) parts(src string, start int, byLine bool) (list []*cellPart, found bool) {
	chunks := cellsyntax.Split(src)
	for i, c := range chunks {
		if c.Kind == cellsyntax.Package {
			continue
		}
		text := src[c.Start:c.End]
		rel := -1
		if c.Start <= start && start < c.End {
			rel = start - c.Start
		}
		var part *cellPart
		if i == len(chunks)-1 {
			if byLine && rel >= 0 {
				part = in.mendByLine(text, rel)
			}
			if part == nil {
				part, _ = in.parse(c.Kind, text+closing(text), rel)
			}
			if part != nil && rel >= 0 && part.ident == nil {
				if p := in.mendByLine(text, rel); p != nil {
					part = p
				}
			}
		} else {
			part, _ = in.parse(c.Kind, text, rel)
		}
		if part != nil {
			found = found || part.ident != nil
			list = append(list, part)
		}
	}
	return list, found
}

// parse parses one chunk. rel is the offset in the chunk at which the identifier to find starts. If rel is -1, parse
// looks for no identifier. clean is true if the chunk has no errors.
func (in *Insight) parse(kind cellsyntax.Kind, text string, rel int) (part *cellPart, clean bool) {
	head, tail := "package main;", ""
	if kind == cellsyntax.Stmt {
		head, tail = "package main;func "+cellFunc+"(){", "\n}"
	}
	f, err := parser.ParseFile(in.fset, "", head+text+tail, parser.SkipObjectResolution)
	if f == nil {
		return nil, false
	}
	part = &cellPart{kind: kind, file: f}
	if rel >= 0 {
		pos := f.FileStart + token.Pos(len(head)+rel)
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.NamePos == pos {
				part.ident = id
			}
			return part.ident == nil
		})
	}
	return part, err == nil
}

// mendByLine parses a chunk that has errors above the line of the identifier at offset rel. It drops as few lines as
// possible from the start of the chunk, so that the rest, once completed, is valid and contains the identifier. Dropped
// lines that are valid statements by themselves are put back, because they may declare names. mendByLine returns nil if
// this does not succeed.
func (in *Insight) mendByLine(text string, rel int) *cellPart {
	const most = 100 // lines above the cursor's
	lines := strings.SplitAfter(text, "\n")
	cut, line := 0, strings.Count(text[:rel], "\n")
	for i := 1; i <= line; i++ {
		if cut += len(lines[i-1]); i < line-most {
			continue
		}
		rest := text[cut:]
		if p, clean := in.parse(cellsyntax.Stmt, rest+closing(rest), rel-cut); !clean || p.ident == nil {
			continue
		}
		// Earlier lines that are valid statements by themselves may declare names. Put these statements first,
		// because a name is visible only after its declaration.
		var before []ast.Stmt
		for _, line := range lines[:i] {
			if q, ok := in.parse(cellsyntax.Stmt, line, -1); ok {
				before = append(before, statements(q.file)...)
			}
		}
		p, _ := in.parse(cellsyntax.Stmt, rest+closing(rest), rel-cut)
		if body := p.file.Decls[0].(*ast.FuncDecl).Body; body != nil {
			body.List = append(before, body.List...)
		}
		return p
	}
	return nil
}

// statements returns the statements of a parsed chunk.
func statements(f *ast.File) (list []ast.Stmt) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			list = append(list, fn.Body.List...)
		}
	}
	return list
}

// declsAfter returns the imports and declarations in src below the line that contains the given offset. It starts at
// the first line that begins with func, type, const or import.
func (in *Insight) declsAfter(src string, from int) (list []*cellPart) {
	for at := from; at < len(src); {
		i := strings.IndexByte(src[at:], '\n')
		if i < 0 {
			return nil
		}
		at += i + 1
		for _, word := range []string{"func ", "type ", "const ", "import "} {
			if !strings.HasPrefix(src[at:], word) {
				continue
			}
			rest := src[at:]
			for _, c := range cellsyntax.Split(rest) {
				if c.Kind == cellsyntax.Decl || c.Kind == cellsyntax.Import {
					if part, ok := in.parse(c.Kind, rest[c.Start:c.End], -1); ok {
						list = append(list, part)
					}
				}
			}
			return list
		}
	}
	return nil
}

// completionProgram returns the program for completion at the cursor: the text before the cursor, an identifier
// at the cursor, and the declarations below.
func (in *Insight) completionProgram(src string, start, cursor int, byLine bool) *program {
	const mark = "cursor__"
	in.current() // call this first, because the files added after it are forgotten
	text := src[:cursor] + mark
	defer in.forgetFiles(in.fset.Base())
	list, _ := in.parts(text, start, byLine)
	return in.build(append(list, in.declsAfter(src, cursor)...))
}

// inspectionProgram returns the program for the identifier src[start:end]. It includes as much of the cell as
// parses.
func (in *Insight) inspectionProgram(src string, start, end int) *program {
	in.current()
	defer in.forgetFiles(in.fset.Base())
	line := len(src)
	if i := strings.IndexByte(src[end:], '\n'); i >= 0 {
		line = end + i
	}
	var p *program
	for i, text := range []string{src, src[:line], src[:end], src[:end]} {
		list, found := in.parts(text, start, i == 3)
		if !found {
			continue
		}
		q := in.build(append(list, in.declsAfter(src, len(text))...))
		if len(q.path) == 0 {
			continue
		}
		if p = q; q.object(q.cursorIdent()) != nil {
			return q
		}
	}
	return p
}

// object returns the object that an identifier denotes, or nil if unknown.
func (p *program) object(id *ast.Ident) types.Object {
	if o := p.info.Uses[id]; o != nil {
		return o
	}
	if o := p.info.Defs[id]; o != nil {
		return o
	}
	// The variable of a type switch has a separate object in each clause.
	for _, n := range p.path {
		if s, ok := n.(*ast.TypeSwitchStmt); ok {
			if a, ok := s.Assign.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && a.Lhs[0] == id {
				for _, c := range s.Body.List {
					if o := p.info.Implicits[c]; o != nil {
						return types.NewVar(id.Pos(), p.pkg, id.Name, p.info.TypeOf(a.Rhs[0].(*ast.TypeAssertExpr).X))
					}
				}
			}
		}
	}
	return nil
}

// forgetFiles removes the newest files from the file set: those whose base is at least the given base. Without this the
// file set would grow with every check of a cell.
func (in *Insight) forgetFiles(base int) {
	var files []*token.File
	in.fset.Iterate(func(f *token.File) bool {
		if f.Base() >= base {
			files = append(files, f)
		}
		return true
	})
	for _, f := range files {
		in.fset.RemoveFile(f)
	}
}
