package reach

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
)

// A folder is the source of a package.
type folder struct {
	path      string // import path
	dir       string // slash, from the module's root
	files     []*file
	assembler []*assembly
	links     map[string][]qualifiedName // by local name: the targets of //go:linkname directives

	opened  bool
	err     error
	name    string                    // name in the package clause
	scope   map[string][]*declaration // "table2", "Lab.Table2"; several declarations if build tags choose among them
	methods map[string][]*declaration // by the name of the receiver's type
	initial []*declaration            // init functions and blank variables, which run whenever the package is imported
	above   map[*folder]bool          // the package itself and all packages that it imports, directly or not
	types   *types.Package
	info    *types.Info

	assembled []*declaration // declarations that the assembler mentions, computed on demand
}

// A file is one Go file.
type file struct {
	folder     *folder
	name       string // slash, from the module's root
	src        []byte
	constraint string // the //go:build line
	imports    []importSpec
	at         *token.File
}

func (f *file) offset(p token.Pos) int { return f.at.Offset(p) }

type importSpec struct {
	path string
	name string // "" if the import has no explicit name
}

// A declaration is one package-level name, or a method.
type declaration struct {
	*piece
	id   *ast.Ident
	name string // "table2", "Lab.Table2", "init", "_"
}

// A piece is the unit that is hashed: a function, one specification of a type, variable or
// constant, or the whole of a const group that uses iota.
type piece struct {
	file       *file
	node       ast.Node // *ast.FuncDecl, *ast.TypeSpec, *ast.ValueSpec, *ast.GenDecl
	keyword    token.Token
	directives []string
	all        *mentions // computed on demand
	sum        string    // computed on demand
}

// declare adds the declarations of the file f to the folder. The directives of a declaration are those between the end
// of the previous declaration and its own end.
func (fo *folder) declare(f *file, tree *ast.File) {
	end := f.offset(tree.Name.End())
	add := func(node ast.Node, keyword token.Token, receiver string, ids ...*ast.Ident) {
		p := &piece{file: f, node: node, keyword: keyword}
		to := f.offset(node.End())
		p.directives = directives(f.src, min(end, to), to)
		end = to
		for _, id := range ids {
			d := &declaration{p, id, receiver + id.Name}
			switch {
			case d.name == "_" && keyword == token.VAR, d.name == "init" && keyword == token.FUNC:
				fo.initial = append(fo.initial, d)
			case id.Name != "_":
				fo.scope[d.name] = append(fo.scope[d.name], d)
				for _, to := range fo.links[d.name] {
					p.directives = append(p.directives, "linkname "+d.name+" "+to.path+" "+to.name)
				}
			}
		}
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			receiver := ""
			if d.Recv != nil && len(d.Recv.List) > 0 {
				receiver = typeName(d.Recv.List[0].Type) + "."
			}
			add(d, token.FUNC, receiver, d.Name)
		case *ast.GenDecl:
			if d.Tok == token.CONST && usesIota(d) {
				var ids []*ast.Ident
				for _, s := range d.Specs {
					ids = append(ids, s.(*ast.ValueSpec).Names...)
				}
				add(d, d.Tok, "", ids...)
				continue
			}
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s, d.Tok, "", s.Name)
				case *ast.ValueSpec:
					add(s, d.Tok, "", s.Names...)
				}
			}
			end = f.offset(d.End())
		}
	}
}

// usesIota reports whether the constants of a group depend on their positions in the group.
func usesIota(d *ast.GenDecl) bool {
	found := false
	for _, s := range d.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		found = found || len(v.Values) == 0
		for _, x := range v.Values {
			ast.Inspect(x, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				found = found || ok && id.Name == "iota"
				return !found
			})
		}
	}
	return found
}

// typeName returns the name in *T, T[A, B] and (T), or "".
func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.ParenExpr:
		return typeName(x.X)
	case *ast.IndexExpr:
		return typeName(x.X)
	case *ast.IndexListExpr:
		return typeName(x.X)
	}
	return ""
}

// isLab reports whether a type is the Lab of a paper. The methods of a Lab are separate experiments, so a reached Lab
// does not reach all of them.
func (c *Code) isLab(fo *folder, name string) bool {
	return name == "Lab" && path.Dir(fo.path) == c.module+"/paper"
}
