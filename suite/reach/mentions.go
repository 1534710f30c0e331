package reach

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
)

// mentions holds the names that the text of a piece mentions. They do not depend on the roots of a search, so they are
// computed only once.
type mentions struct {
	declarations []*declaration // of the piece's package and of other packages of the module
	selected     []string       // names of unknown meaning after a dot, as types.Id spells them
	promised     []string       // names of an interface's methods, as types.Id spells them
	outside      []string       // "name path" for each import from outside the module that the piece uses
	bodyless     bool           // the piece has a function whose body is elsewhere: in assembler, or linked
}

// A reader looks up the meaning that the type checker found for each name in a piece. If the checker found no
// meaning because the name depends on a package outside the module, the name counts as everything that it may
// mean.
type reader struct {
	code *Code
	file *file
	out  *mentions
	err  error
}

// read returns the mentions of a piece.
func (c *Code) read(p *piece) (*mentions, error) {
	if p.all != nil {
		return p.all, nil
	}
	r := &reader{code: c, file: p.file, out: &mentions{}}
	for _, im := range p.file.imports { // a name may come from a dot import without a trace
		if im.name == "." && !c.isFollowed(im.path) {
			r.out.outside = add(r.out.outside, ". "+im.path)
		}
	}
	ast.Inspect(p.node, r.visit)
	if r.err != nil {
		return nil, r.err
	}
	p.all = r.out
	return p.all, nil
}

func (r *reader) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		r.out.bodyless = n.Body == nil
	case *ast.InterfaceType:
		for _, f := range n.Methods.List {
			for _, id := range f.Names {
				r.out.promised = add(r.out.promised, types.Id(r.file.folder.types, id.Name))
			}
		}
	case *ast.SelectorExpr:
		x, ok := n.X.(*ast.Ident)
		if ok && r.selector(x, n.Sel) {
			return false
		}
		if r.file.folder.info.Uses[n.Sel] == nil {
			r.out.selected = add(r.out.selected, types.Id(r.file.folder.types, n.Sel.Name))
			ast.Inspect(n.X, r.visit)
			return false
		}
	case *ast.Ident:
		r.identifier(n)
	}
	return true
}

func (r *reader) mention(ds []*declaration) {
	for _, d := range ds {
		r.out.declarations = add(r.out.declarations, d)
	}
}

// add appends x to a list unless the list contains it.
func add[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

func (r *reader) identifier(id *ast.Ident) {
	fo := r.file.folder
	obj := fo.info.Uses[id]
	r.mention(r.code.declarations(obj))
	_, guessed := obj.(*types.PkgName) // guess may have been wrong about the package's name
	if _, defined := fo.info.Defs[id]; defined || obj != nil && !guessed {
		return
	}
	r.mention(fo.scope[id.Name])
	for _, im := range r.file.imports {
		if im.name == "." && r.code.isFollowed(im.path) {
			r.mention(r.code.folders[im.path].scope[id.Name])
		}
	}
}

// selector records the mention of the selector expression x.name if x may be a package. It reports whether x is
// certainly a package. The name of a package from outside the module is guessed from its import path, and the guess may
// be wrong. So after a guessed match, selector also compares x with the remaining imports.
func (r *reader) selector(x, name *ast.Ident) bool {
	fo := r.file.folder
	obj := fo.info.Uses[x]
	_, isPackage := obj.(*types.PkgName)
	if obj != nil && !isPackage {
		return false
	}
	for _, im := range r.file.imports {
		switch {
		case im.name == "_" || im.name == ".":
		case r.code.isFollowed(im.path):
			other := r.code.folders[im.path]
			if x.Name != cmp.Or(im.name, other.name) {
				continue
			}
			ds := other.scope[name.Name]
			r.mention(ds)
			if ds == nil && isPackage && r.err == nil {
				r.err = fmt.Errorf("reach: %s mentions %s.%s, which %s does not declare", r.file.name, x.Name, name.Name, im.path)
			}
			return isPackage
		case im.name == x.Name:
			r.out.outside = add(r.out.outside, x.Name+" "+im.path)
			return isPackage
		case im.name == "" && (x.Name == guess(im.path) || !token.IsIdentifier(path.Base(im.path))): // go-x may be the package x
			r.out.outside = add(r.out.outside, x.Name+" "+im.path)
		}
	}
	return isPackage && fo.scope[x.Name] == nil
}
