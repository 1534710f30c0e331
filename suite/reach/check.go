package reach

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"strconv"
	"strings"
)

// open returns the package of this module that has the given import path. The first call parses and type-checks the
// package, after those of the module's packages that it imports.
func (c *Code) open(importPath string) (*folder, error) {
	fo, ok := c.folders[importPath]
	if !ok {
		return nil, fmt.Errorf("reach: no Go files for %s", importPath)
	}
	if !fo.opened {
		fo.opened = true
		fo.err = fmt.Errorf("reach: %s imports itself, directly or indirectly", importPath) // this is the error if a package imports this one before check returns
		fo.err = c.check(fo)
	}
	return fo, fo.err
}

// check parses and type-checks a package. It ignores the errors of the type checker: most of them are about names from
// other modules, whose packages are empty to the checker. It returns an error if the package does not parse or imports
// C.
func (c *Code) check(fo *folder) error {
	trees := make([]*ast.File, len(fo.files))
	for i, f := range fo.files {
		tree, err := parser.ParseFile(c.set, f.name, f.src, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("reach: %w", err)
		}
		f.at = c.set.File(tree.FileStart)
		f.constraint = constraint(f.src[:f.offset(tree.Package)])
		trees[i] = tree
		if name := tree.Name.Name; name != "documentation" && (f.constraint != "ignore" || fo.name == "") {
			fo.name = name
		}
	}
	fo.scope, fo.methods, fo.above = map[string][]*declaration{}, map[string][]*declaration{}, map[*folder]bool{fo: true}
	var checked []*ast.File
	for i, f := range fo.files {
		tree := trees[i]
		// A separate program in the package's folder, such as a generator, is not part of the package.
		if f.constraint == "ignore" && tree.Name.Name != fo.name || tree.Name.Name == "documentation" {
			continue
		}
		for _, s := range tree.Imports {
			im := importSpec{}
			var err error
			if im.path, err = strconv.Unquote(s.Path.Value); err != nil {
				return fmt.Errorf("reach: %s imports %s", f.name, s.Path.Value)
			}
			if im.path == "C" {
				return fmt.Errorf("reach: %s imports C, which is not Go source", f.name)
			}
			if s.Name != nil {
				im.name = s.Name.Name
			}
			f.imports = append(f.imports, im)
			if c.isFollowed(im.path) {
				other, err := c.open(im.path)
				if err != nil {
					return fmt.Errorf("%w (imported by %s)", err, f.name)
				}
				maps.Copy(fo.above, other.above)
			}
		}
		fo.declare(f, tree)
		tree.Name.Name = fo.name // the type checker skips files of other packages
		checked = append(checked, tree)
	}
	for _, ds := range fo.scope {
		if len(ds) > 1 {
			checked[0].Decls = append(checked[0].Decls, standIn(ds))
		}
	}
	size := 0 // length of the source, which determines the sizes of the maps
	for _, f := range fo.files {
		size += len(f.src)
	}
	fo.info = &types.Info{Defs: make(map[*ast.Ident]types.Object, size/50), Uses: make(map[*ast.Ident]types.Object, size/12)}
	config := types.Config{Importer: (*importer)(c), Error: func(error) {}, DisableUnusedImportCheck: true}
	fo.types, _ = config.Check(fo.path, c.set, checked, fo.info)
	for name, ds := range fo.scope {
		obj := fo.info.Defs[ds[0].id]
		if obj != nil {
			c.declared[obj] = ds
		}
		if typ, _, ok := strings.Cut(name, "."); ok {
			typ = cmp.Or(receiver(obj), typ) // obj may be an alias of the type
			fo.methods[typ] = append(fo.methods[typ], ds...)
		}
	}
	return nil
}

// standIn returns a declaration that the type checker sees in place of ds. The declarations in ds have the same name,
// and build tags choose among them. The new declaration is a variable of an unknown type, or a method with a result of
// an unknown type, so that the checker does not assume the type of one variant. standIn renames the identifiers in ds
// to _.
func standIn(ds []*declaration) ast.Decl {
	id := &ast.Ident{NamePos: ds[0].id.Pos(), Name: ds[0].id.Name}
	for _, d := range ds {
		d.id.Name = "_"
	}
	ds[0].id = id
	if f, ok := ds[0].node.(*ast.FuncDecl); ok && f.Recv != nil {
		results := &ast.FieldList{List: []*ast.Field{{Type: &ast.BadExpr{}}}}
		return &ast.FuncDecl{Recv: f.Recv, Name: id, Type: &ast.FuncType{Params: &ast.FieldList{}, Results: results}}
	}
	return &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{id}, Type: &ast.BadExpr{}}}}
}

// An importer gives the type checker the packages of the module, and an empty package for every other import. The error
// that comes with an empty package makes the checker accept any name in that package.
type importer Code

func (c *importer) Import(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if fo := c.folders[importPath]; fo != nil && (*Code)(c).isFollowed(importPath) {
		return fo.types, nil
	}
	return types.NewPackage(importPath, guess(importPath)), errors.New("outside the module")
}

// declarations returns the declarations of an object, or nil if it is local or outside the module.
func (c *Code) declarations(obj types.Object) []*declaration {
	if f, ok := obj.(*types.Func); ok {
		obj = f.Origin()
	}
	return c.declared[obj]
}

// receiver returns the name of a method's receiver type, or "" if the type is unknown or the object is not a
// method.
func receiver(obj types.Object) string {
	f, ok := obj.(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return ""
	}
	t := types.Unalias(f.Signature().Recv().Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// guess returns the likely name of a package outside the module.
func guess(importPath string) string {
	base := path.Base(importPath)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(importPath))
	}
	base, _, _ = strings.Cut(base, ".")
	return base
}
