package insight

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode/utf8"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/magic"
)

// A Place is a name in a notebook, or a declaration in a file.
type Place struct {
	Cell   int    `json:"cell"`           // index of the cell; -1 for a file
	File   string `json:"file,omitempty"` // path on this machine
	Line   int    `json:"line"`           // from 1
	Column int    `json:"column"`         // from 1, in runes
	End    int    `json:"end"`            // the column after the name
}

// Names are the places in a notebook where a name occurs with the same meaning.
type Names struct {
	Name string `json:"name"`
	// Declared holds the places that declare the name. Unless the name is declared inside a function or in a package,
	// these places are all in one cell. This is the cell with the cursor if it declares the name. Otherwise it is
	// the nearest cell above that declares the name, or else the next cell below.
	Declared []Place `json:"declared"`
	// Uses holds all places, including those that declare the name.
	Uses []Place `json:"uses"`
	// Fixed is the reason why the name cannot be changed, or "" if it can.
	Fixed string `json:"fixed,omitempty"`
}

// Names finds the name at the cursor in a notebook's cells, which need not have run. cell is the index of the cell with
// the cursor, and cursor is the offset in this cell's text, in runes.
//
// Names declared inside functions are distinguished by their scopes. If several cells declare a name, all its uses
// count as the same name. Fields and methods of cells' types are matched by name alone. For members of packages,
// Declared is the place in the package's source; its File is "" if the source is not on this machine.
func (in *Insight) Names(cells []string, cell, cursor int) (n Names) {
	defer func() {
		if r := recover(); r != nil {
			panicked(r)
			n = Names{}
		}
	}()
	if cell < 0 || cell >= len(cells) {
		return Names{}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	at := offset(cells[cell], cursor)
	own := identsOf(cells[cell])
	i := slices.IndexFunc(own, func(id ident) bool { return id.from <= at && at <= id.to })
	if i < 0 {
		return Names{}
	}
	id := own[i]
	n.Name = id.name
	placeOf := func(cell int, id ident) Place {
		text := cells[cell]
		line := strings.LastIndexByte(text[:id.from], '\n') + 1
		column := utf8.RuneCountInString(text[line:id.from]) + 1
		return Place{Cell: cell, Line: strings.Count(text[:line], "\n") + 1, Column: column, End: column + utf8.RuneCountInString(id.name)}
	}
	if id.local != nil {
		for _, other := range own {
			if other.local == id.local {
				n.Uses = append(n.Uses, placeOf(cell, other))
				if other.declares {
					n.Declared = append(n.Declared, placeOf(cell, other))
				}
			}
		}
		return n
	}
	if p, ok := in.declaredInPackage(cells[cell], id); ok {
		n.Declared = []Place{p}
		n.Fixed = id.name + " is declared in a package"
	}
	declares := map[int][]Place{}
	for i, text := range cells {
		for _, other := range identsOf(text) {
			if other.local != nil || other.name != id.name || other.member != id.member {
				continue
			}
			n.Uses = append(n.Uses, placeOf(i, other))
			if other.declares {
				declares[i] = append(declares[i], placeOf(i, other))
			}
		}
	}
	switch {
	case n.Fixed != "":
	case len(declares) == 0:
		n.Fixed = "no cell declares " + id.name
	case id.member:
		n.Fixed = id.name + " is a field or a method: its uses cannot be told apart for certain"
	}
	if n.Declared != nil {
		return n
	}
	for i := cell; i >= 0 && n.Declared == nil; i-- {
		n.Declared = declares[i]
	}
	for i := cell + 1; i < len(cells) && n.Declared == nil; i++ {
		n.Declared = declares[i]
	}
	return n
}

// An ident is an identifier in the text of a cell.
type ident struct {
	name     string
	from, to int         // offsets
	local    *ast.Object // the object that the identifier denotes, if the object is declared inside a function or a block
	declares bool
	member   bool // a field, a method, or any other name after a dot
}

// identsOf returns the identifiers in a cell. It leaves out parts of the cell that do not parse.
func identsOf(text string) (list []ident) {
	src := magic.Blank(text, nil)
	for _, c := range cellsyntax.Split(src) {
		head, tail := "package main;", ""
		switch c.Kind {
		case cellsyntax.Package:
			continue
		case cellsyntax.Stmt:
			head, tail = "package main;func "+cellFunc+"(){", "\n}"
		}
		part := src[c.Start:c.End]
		f, err := parser.ParseFile(token.NewFileSet(), "", head+part+closingIf(part, head, tail)+tail, 0)
		if f == nil || err != nil && c.Kind != cellsyntax.Stmt {
			continue
		}
		r := identReader{text: src, shift: c.Start - len(head) - int(f.FileStart), declaring: map[*ast.Ident]bool{}, members: map[*ast.Ident]bool{}}
		r.read(f)
		list = append(list, r.list...)
	}
	return list
}

// closingIf returns the text that completes part (see closing), or "" if head+part+tail already parses.
func closingIf(part, head, tail string) string {
	if _, err := parser.ParseFile(token.NewFileSet(), "", head+part+tail, 0); err == nil {
		return ""
	}
	return closing(part)
}

type identReader struct {
	text      string
	shift     int // position -> offset in text
	declaring map[*ast.Ident]bool
	members   map[*ast.Ident]bool
	list      []ident
}

func (r *identReader) read(f *ast.File) {
	top := map[*ast.Object]bool{} // objects declared at the top level of the cell
	for _, d := range f.Decls {
		r.declare(d, top)
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != cellFunc || fn.Body == nil {
			continue
		}
		for _, id := range cellsyntax.Variables(fn.Body.List) {
			r.declaring[id] = true
			if id.Obj != nil {
				top[id.Obj] = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			r.members[n.Sel] = true
		case *ast.StructType:
			r.fields(n.Fields)
		case *ast.InterfaceType:
			r.fields(n.Methods)
		case *ast.CompositeLit:
			if _, isMap := n.Type.(*ast.MapType); isMap {
				break
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if id, ok := kv.Key.(*ast.Ident); ok && (id.Obj == nil || id.Obj.Kind != ast.Var && id.Obj.Kind != ast.Con) {
						r.members[id] = true
					}
				}
			}
		case *ast.Ident:
			from := int(n.Pos()) + r.shift
			if n.Name == "_" || from < 0 || from+len(n.Name) > len(r.text) || r.text[from:from+len(n.Name)] != n.Name {
				return true // an identifier that this package has added
			}
			id := ident{name: n.Name, from: from, to: from + len(n.Name), declares: r.declaring[n], member: r.members[n]}
			if n.Obj != nil && !top[n.Obj] && !id.member && n.Obj.Kind != ast.Bad {
				id.local = n.Obj
				id.declares = id.declares || n.Obj.Pos() == n.Pos()
			}
			r.list = append(r.list, id)
		}
		return true
	})
}

// declare records the names that a top-level declaration declares.
func (r *identReader) declare(d ast.Decl, top map[*ast.Object]bool) {
	note := func(id *ast.Ident) {
		r.declaring[id] = true
		if id.Obj != nil {
			top[id.Obj] = true
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		note(d.Name)
		r.members[d.Name] = d.Recv != nil
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				note(spec.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					note(id)
				}
			case *ast.ImportSpec:
				if spec.Name != nil {
					note(spec.Name)
				}
			}
		}
	}
}

func (r *identReader) fields(list *ast.FieldList) {
	for _, f := range list.List {
		for _, id := range f.Names {
			r.members[id], r.declaring[id] = true, true
		}
	}
}

// declaredInPackage returns the place in a package's source that declares an identifier of a cell. code is the text of
// the cell. The Place has no File if the source is not on this machine. The second result is false if the identifier
// does not denote something declared in a package.
func (in *Insight) declaredInPackage(code string, id ident) (Place, bool) {
	in.current()
	in.lib.begin()
	src := in.withoutMagics(code)
	p := in.inspectionProgram(src, id.from, id.to)
	if p == nil || p.cursorIdent() == nil {
		return Place{}, false
	}
	obj := p.object(p.cursorIdent())
	if obj == nil || obj.Pkg() == nil || obj.Pkg() == p.pkg {
		return Place{}, false
	}
	if _, isPackage := obj.(*types.PkgName); isPackage {
		return Place{}, false
	}
	symbol := obj.Name()
	owner := ""
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
		if n := namedOf(f.Signature().Recv().Type()); n != nil {
			owner = n.Obj().Name()
		}
	} else if v, ok := obj.(*types.Var); ok && v.IsField() {
		owner = ownerOf(v)
	}
	if owner != "" {
		symbol = owner + "." + symbol
	}
	_, file, line := in.sourceOf(obj.Pkg().Path(), symbol)
	if file == "" {
		return Place{Cell: -1}, true
	}
	return Place{Cell: -1, File: file, Line: line, Column: 1, End: 1}, true
}
