package ixengine

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Generic functions and types of packages that are run from source. A program that mentions such an object is
// built with the object's declaration and with the declarations of the generic objects that this declaration
// mentions, directly or indirectly. The package's other code is only declared: its initialization has already
// run, and the program gets the existing functions and the addresses of the existing variables. So all
// programs share the variables of the package, and a program stays small even if its package has hundreds of
// generic functions.

// needs holds, by package, the declarations of generic functions and types that a program takes from packages run from
// source.
type needs struct {
	seen  map[types.Object]bool
	decls map[*sourcePackage]map[ast.Decl]bool
}

func newNeeds() needs {
	return needs{map[types.Object]bool{}, map[*sourcePackage]map[ast.Decl]bool{}}
}

// need records what a program that mentions the generic object o needs from the package mod: the declarations of o, and
// the objects that they mention.
func (m *usedObjects) need(mod *sourcePackage, o types.Object) {
	if m.needs.seen[o] {
		return
	}
	m.needs.seen[o] = true
	if m.needs.decls[mod] == nil {
		m.needs.decls[mod] = map[ast.Decl]bool{}
		m.add(mod.pkg)
		m.imports(mod.pkg)
	}
	for _, d := range mod.decls[o] {
		if m.needs.decls[mod][d] {
			continue
		}
		m.needs.decls[mod][d] = true
		for _, o := range mod.mentions(d) {
			m.use(o)
		}
	}
}

// mentions returns the objects that a declaration mentions, including the generic types that its expressions
// instantiate.
func (mod *sourcePackage) mentions(d ast.Decl) []types.Object {
	if list, ok := mod.mentioned[d]; ok {
		return list
	}
	var list []types.Object
	seen := map[types.Object]bool{nil: true}
	add := func(o types.Object) {
		if !seen[o] {
			seen[o] = true
			list = append(list, o)
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			add(mod.info.Uses[id])
		}
		if e, ok := n.(ast.Expr); ok {
			if t := mod.info.TypeOf(e); t != nil {
				walkNamed(t, func(n *types.Named) {
					if n.TypeArgs().Len() > 0 {
						add(n.Origin().Obj())
					}
				})
			}
		}
		return true
	})
	if mod.mentioned == nil {
		mod.mentioned = map[ast.Decl][]types.Object{}
	}
	mod.mentioned[d] = list
	return list
}

// use records an object that the program mentions.
func (m *usedObjects) use(o types.Object) {
	switch o := o.(type) {
	case *types.Func:
		m.object(o.Origin())
	case *types.Var:
		if p := o.Pkg(); p != nil && !o.IsField() && o.Parent() == p.Scope() {
			m.object(o)
		}
	case *types.TypeName:
		if mod := m.s.moduleOf(o); mod != nil && o.Parent() == mod.pkg.Scope() && isGeneric(o) {
			m.need(mod, o)
		}
	}
}

// instances records what a program needs for the instances of generic types in t.
func (m *usedObjects) instances(t types.Type) {
	walkNamed(t, func(n *types.Named) {
		if n.TypeArgs().Len() > 0 {
			if mod := m.s.moduleOf(n.Obj()); mod != nil {
				m.need(mod, n.Origin().Obj())
			}
		}
	})
}

// allInstances calls instances for all types in a package: the types of its expressions, of its declarations and of
// the objects that it uses. These include instances of generic types that the package does not mention by name.
func (m *usedObjects) allInstances(pkg *types.Package, info *types.Info) {
	if len(m.s.modules.byPackage) == 0 {
		return
	}
	for _, tv := range info.Types {
		if tv.Type != nil {
			m.instances(tv.Type)
		}
	}
	for _, o := range info.Uses {
		if o.Type() != nil {
			m.instances(o.Type())
		}
	}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		m.instances(scope.Lookup(name).Type())
	}
}

// filesOf returns the files of mod, reduced to the declarations that the program needs, and their type information.
// Functions that are not generic have no body.
func (m *usedObjects) filesOf(mod *sourcePackage) ([]*ast.File, *types.Info) {
	info := *mod.info
	info.InitOrder = nil // the package's variables are already set
	info.FileVersions = map[*ast.File]string{}
	decls := map[*ast.File][]ast.Decl{}
	have := map[ast.Decl]bool{}
	add := func(d, as ast.Decl) {
		if !have[d] {
			have[d] = true
			decls[mod.file[d]] = append(decls[mod.file[d]], as)
		}
	}
	for d := range m.needs.decls[mod] {
		add(d, d)
	}
	for o := range m.objects[mod.pkg] {
		for _, d := range mod.decls[o] {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					stub := *d
					stub.Body = nil
					add(d, &stub)
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					add(d, d)
				}
			}
		}
	}
	var files []*ast.File
	for _, f := range mod.files {
		if len(decls[f]) == 0 {
			continue
		}
		slices.SortFunc(decls[f], func(a, b ast.Decl) int { return cmp.Compare(a.Pos(), b.Pos()) })
		some := &ast.File{Package: f.Package, Name: f.Name, Decls: decls[f]}
		info.FileVersions[some] = mod.info.FileVersions[f]
		files = append(files, some)
	}
	return files, &info
}

// methods makes the SSA builder create the methods of non-generic types, in each package from which the program takes
// generic declarations. The interpreter treats all code of such a package as source. If a type embeds one of these
// types, the interpreter creates promoted methods, and these call the methods created here.
func (m *usedObjects) methods(prog *ssa.Program) {
	for mod, decls := range m.needs.decls {
		if len(decls) == 0 {
			continue
		}
		scope := mod.pkg.Scope()
		for _, name := range scope.Names() {
			o, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || o.IsAlias() || isGeneric(o) || types.IsInterface(o.Type()) {
				continue
			}
			n, ok := o.Type().(*types.Named)
			if !ok {
				continue
			}
			for f := range n.Methods() {
				prog.LookupMethod(f.Signature().Recv().Type(), mod.pkg, f.Name())
			}
		}
	}
}
