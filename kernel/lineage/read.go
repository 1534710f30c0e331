package lineage

import (
	"go/ast"
	"go/token"

	"overcomplete/kernel/cellsyntax"
)

// A reader collects the names that are used in code, except names that the code declares in inner scopes.
type reader struct {
	fset   *token.FileSet
	use    *Use
	scopes []map[string]bool
	// done holds the names that the cell's top-level statements have declared or assigned so far. It is nil in
	// functions, because they run later.
	done map[string]bool
	// nested counts the branches, loops and function literals around the current code. Assignments inside them
	// may not be executed.
	nested int
}

func newReader(fset *token.FileSet, use *Use) *reader { return &reader{fset: fset, use: use} }

func (r *reader) line(n ast.Node) int { return r.fset.Position(n.Pos()).Line }

func (r *reader) push() { r.scopes = append(r.scopes, map[string]bool{}) }
func (r *reader) pop()  { r.scopes = r.scopes[:len(r.scopes)-1] }

// declare adds a name to the innermost scope. At the top level of a cell, it adds the name to r.done.
func (r *reader) declare(id *ast.Ident) {
	switch n := len(r.scopes); {
	case id == nil || id.Name == "_":
	case n > 0:
		r.scopes[n-1][id.Name] = true
	case r.done != nil:
		r.done[id.Name] = true
	}
}

func (r *reader) isLocal(name string) bool {
	for _, s := range r.scopes {
		if s[name] {
			return true
		}
	}
	return false
}

func (r *reader) read(id *ast.Ident) {
	if id.Name == "_" || r.isLocal(id.Name) || r.done[id.Name] {
		return
	}
	if _, known := r.use.Reads[id.Name]; !known {
		r.use.Reads[id.Name] = r.line(id)
	}
}

// assign records an assignment to e, or to the variable that contains e.
func (r *reader) assign(e ast.Expr) {
	id, whole := e.(*ast.Ident)
	if !whole {
		r.expr(e)
		if id = cellsyntax.Root(e); id == nil {
			return
		}
	}
	if id.Name == "_" || r.isLocal(id.Name) {
		return
	}
	if _, known := r.use.Assigns[id.Name]; !known {
		r.use.Assigns[id.Name] = r.line(id)
	}
	if whole {
		r.use.Whole[id.Name] = true
	}
	if whole && r.nested == 0 && r.done != nil {
		r.done[id.Name] = true
	}
}

// function reads a function with its parameters.
func (r *reader) function(recv *ast.FieldList, typ *ast.FuncType, body *ast.BlockStmt) {
	r.push()
	defer r.pop()
	r.nested++
	defer func() { r.nested-- }()
	if recv != nil {
		for _, f := range recv.List {
			r.receiver(f.Type)
			for _, name := range f.Names {
				r.declare(name)
			}
		}
	}
	r.signature(typ)
	if body != nil {
		r.list(body.List)
	}
}

// receiver reads the type of a method's receiver and declares the type parameters in it.
func (r *reader) receiver(t ast.Expr) {
	switch x := t.(type) {
	case *ast.StarExpr:
		r.receiver(x.X)
	case *ast.ParenExpr:
		r.receiver(x.X)
	case *ast.IndexExpr:
		r.receiver(x.X)
		r.parameter(x.Index)
	case *ast.IndexListExpr:
		r.receiver(x.X)
		for _, e := range x.Indices {
			r.parameter(e)
		}
	default:
		r.expr(t)
	}
}

func (r *reader) parameter(e ast.Expr) {
	if id, ok := e.(*ast.Ident); ok {
		r.declare(id)
	}
}

// signature reads a function's type and declares its parameters.
func (r *reader) signature(t *ast.FuncType) {
	r.typeParams(t.TypeParams)
	for _, list := range []*ast.FieldList{t.Params, t.Results} {
		if list == nil {
			continue
		}
		for _, f := range list.List { // read all types first: func(int string, x int)
			r.expr(f.Type)
		}
		for _, f := range list.List {
			for _, name := range f.Names {
				r.declare(name)
			}
		}
	}
}

func (r *reader) typeParams(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		for _, name := range f.Names {
			r.declare(name)
		}
	}
	for _, f := range list.List {
		r.expr(f.Type)
	}
}
