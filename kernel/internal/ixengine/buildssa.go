package ixengine

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// buildSSA builds the program c and returns its package. It builds only what the program mentions. If that fails,
// buildSSA uses the interpreter's builder. That builder is only the fallback because for each cell it builds all
// exports of all reachable packages: with a large import, this takes half of the cell's time.
func (s *Session) buildSSA(c *checkedProgram) (*ssa.Package, error) {
	s.mend(c.file, c.info)
	pkg, err := s.buildMentioned(c)
	if (err != nil || noneMentioned) && !allMentioned {
		pkg, err = s.buildAll(c)
	}
	if err == nil {
		keepMethods(pkg, c)
		hideGenericMethods(pkg.Prog, c)
	}
	return pkg, err
}

// keepMethods makes the interpreter create the methods of all types of the program that are declared in cells. By
// default the interpreter creates methods only for exported types, and for types whose values the program converts to
// interfaces. But a later program may be the first to convert a value of a type to an interface. The runtime type
// exists by then, and keeps the methods that it gets here.
func keepMethods(pkg *ssa.Package, c *checkedProgram) {
	keep := keeper(pkg.Prog)
	scope := c.pkg.Scope()
	for _, name := range scope.Names() {
		if o, ok := scope.Lookup(name).(*types.TypeName); ok {
			keep(types.Unalias(o.Type()))
		}
	}
	instance := func(t types.Type) {
		walkNamed(t, func(n *types.Named) {
			if _, ok := pinKey(n); ok && n.TypeArgs().Len() > 0 {
				keep(n)
			}
		})
	}
	for _, tv := range c.info.Types {
		if tv.Type != nil {
			instance(tv.Type)
		}
	}
	for _, inst := range c.info.Instances {
		instance(inst.Type)
	}
	if len(c.info.Instances) == 0 {
		return
	}
	for t := range typesInInstances(pkg.Prog) {
		walkNamed(t, func(n *types.Named) {
			if _, ok := pinKey(n); ok && n.TypeArgs().Len() > 0 {
				keep(n)
				c.inner = append(c.inner, n)
			}
		})
	}
}

// typesInInstances returns the types of the values in instances of generic functions and methods. The type
// checker checks generic code once and does not know these types.
func typesInInstances(prog *ssa.Program) map[types.Type]bool {
	found := map[types.Type]bool{}
	for f := range ssautil.AllFunctions(prog) {
		if f.Origin() == nil || len(f.TypeArgs()) == 0 {
			continue
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				switch v := in.(type) {
				case *ssa.TypeAssert:
					found[v.AssertedType] = true
				case *ssa.MakeInterface:
					found[v.X.Type()] = true
				case ssa.Value:
					found[v.Type()] = true
				}
			}
		}
	}
	return found
}

// keeper returns a function that makes the interpreter create the methods of t and *t. The function does nothing if t
// is not a named type, or is an interface or a generic type that is not instantiated.
func keeper(prog *ssa.Program) func(t types.Type) {
	in := insidesOf(prog)
	interfaced := in.interfaced()
	if interfaced == nil {
		interfaced = map[types.Type]struct{}{}
		setField(in.p, layout.interfaced, interfaced)
	}
	return func(t types.Type) {
		if n, ok := t.(*types.Named); ok && !types.IsInterface(n) && !hasTypeParam(n) && n.TypeParams().Len() == n.TypeArgs().Len() {
			interfaced[n] = struct{}{}
			interfaced[types.NewPointer(n)] = struct{}{}
		}
	}
}

// Tests set allMentioned if buildMentioned must succeed, and noneMentioned if buildMentioned must not be
// used.
var allMentioned, noneMentioned bool

// buildAll builds the program with the interpreter's builder. That builder needs complete packages. So buildAll first
// imports, with all exports, each compiled package that the session has loaded in part, because any of them may
// contribute a type.
func (s *Session) buildAll(c *checkedProgram) (pkg *ssa.Package, err error) {
	list := c.pkg.Imports()
	for done := false; !done; {
		done = true
		for _, p := range s.loader.Packages() {
			if (*s.source)[p.Path()] != nil || slices.Contains(list, p) {
				continue
			}
			if _, ok := ixgo.LookupPackage(p.Path()); ok && !p.Complete() {
				if _, err := s.loader.Import(p.Path()); err != nil {
					return nil, err
				}
			}
			list, done = append(list, p), false
		}
	}
	c.pkg.SetImports(list)
	defer s.ctx.Builder.Reset()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("building the cell: %v", p)
		}
	}()
	var rewritten rewriting
	defer rewritten.undo()
	rewritten.callsFirst(c.info, c.file)
	return s.ctx.Builder.BuildMain(&ixgo.SourcePackage{
		Context: s.ctx, Package: c.pkg, Info: c.info, Importer: s.importer, Files: []*ast.File{c.file},
	})
}

// A usedObjects collects the objects and packages from which a program is built.
type usedObjects struct {
	source  map[string]*ixgo.SourcePackage // keyed by path; path@patch is the source added to path
	objects map[*types.Package]map[types.Object]bool
	order   []*types.Package // packages of the objects
	needs   needs            // packages run from source; see modules_generic.go
	s       *Session
}

// object records the package of o and, unless o is a field or a method, o itself.
func (m *usedObjects) object(o types.Object) {
	p := o.Pkg()
	if p == nil {
		return
	}
	m.add(p)
	if o.Parent() != nil { // o is neither a field nor a method
		m.objects[p][o] = true
		if mod := m.s.moduleOf(o); mod != nil && isGeneric(o) {
			m.need(mod, o)
		}
	}
}

// add records the package p and, if p is run from source, the packages that its source needs.
func (m *usedObjects) add(p *types.Package) {
	if m.objects[p] != nil {
		return
	}
	m.objects[p] = map[types.Object]bool{}
	m.order = append(m.order, p)
	if sp := m.sourceOf(p); sp != nil {
		m.uses(sp.Info)
		m.allInstances(p, sp.Info)
		m.imports(p)
	}
}

// sourceOf returns p's source, or nil for a compiled package.
func (m *usedObjects) sourceOf(p *types.Package) *ixgo.SourcePackage {
	if sp := m.source[p.Path()]; sp != nil && sp.Loaded() && sp.Package == p {
		return sp
	}
	return nil
}

func (m *usedObjects) uses(info *types.Info) {
	for _, o := range info.Uses {
		m.use(o)
	}
}

// imports records the packages that p imports.
//
// The interpreter adds source code of its own to some packages, as another package (a source patch). If p imports a
// package with a patch, and the patch is already in use or declares types, imports records the patch too. Types matter
// because their methods may be needed even if nothing mentions the types. imports also adds a recorded patch to the
// imports of p, so that the patch's variables are initialized.
func (m *usedObjects) imports(p *types.Package) {
	list := slices.Clone(p.Imports())
	for _, q := range p.Imports() {
		m.add(q)
		patch := m.source[q.Path()+"@patch"]
		if patch == nil || !patch.Loaded() || patch.Package == p || slices.Contains(list, patch.Package) {
			continue
		}
		needed := m.objects[patch.Package] != nil
		scope := patch.Package.Scope()
		for _, name := range scope.Names() {
			_, isType := scope.Lookup(name).(*types.TypeName)
			needed = needed || isType
		}
		if needed {
			m.add(patch.Package)
			list = append(list, patch.Package)
		}
	}
	p.SetImports(list)
}

func (s *Session) buildMentioned(c *checkedProgram) (main *ssa.Package, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("building the cell: %v", p)
		}
	}()
	m := &usedObjects{s: s, source: *s.source, objects: map[*types.Package]map[types.Object]bool{}, needs: newNeeds()}
	m.objects[c.pkg] = map[types.Object]bool{}
	m.uses(c.info)
	m.allInstances(c.pkg, c.info)
	m.imports(c.pkg)
	for _, p := range s.host.pkg.Imports() { // the packages of the types of variables
		m.add(p)
	}

	prog := ssa.NewProgram(s.ctx.FileSet, s.ctx.BuilderMode|ssa.InstantiateGenerics)
	in := insidesOf(prog)
	create := func(p *types.Package) *ssa.Package {
		// The builder makes a member for each object of a scope.
		some := types.NewPackage(p.Path(), p.Name())
		for o := range m.objects[p] {
			if o.Parent() == p.Scope() {
				some.Scope().Insert(o)
			}
		}
		pkg := prog.CreatePackage(some, nil, nil, true)
		delete(in.packages(), some)
		pkg.Pkg = p
		in.packages()[p] = pkg
		return pkg
	}
	var toBuild []*ssa.Package
	var rewritten rewriting
	defer rewritten.undo()
	for _, p := range m.order {
		if sp := m.sourceOf(p); sp != nil {
			rewritten.callsFirst(sp.Info, sp.Files...)
			toBuild = append(toBuild, prog.CreatePackage(p, sp.Files, sp.Info, true))
		} else if mod := s.modules.byPackage[p]; mod != nil && len(m.needs.decls[mod]) > 0 {
			files, info := m.filesOf(mod)
			rewritten.callsFirst(info, files...)
			toBuild = append(toBuild, prog.CreatePackage(p, files, info, true))
		} else {
			create(p)
		}
	}
	rewritten.callsFirst(c.info, c.file)
	main = prog.CreatePackage(c.pkg, []*ast.File{c.file}, c.info, false)
	for _, pkg := range append(toBuild, main) {
		pkg.Build()
	}
	m.methods(prog)
	// Methods of compiled types are created where they are mentioned, without a package. But the interpreter
	// looks methods up by package.
	for o, f := range in.methods() {
		if f.Pkg == nil && o.Pkg() != nil {
			p := prog.Package(o.Pkg())
			if p == nil {
				p = create(o.Pkg())
			}
			if m.sourceOf(o.Pkg()) != nil {
				return nil, fmt.Errorf("method %v of a package that has not been built", o)
			}
			f.Pkg = p
		}
	}
	// The interpreter looks at the methods of all types that reflection can reach from types converted to
	// interfaces. It does not need the methods of compiled types.
	isSource := func(p *types.Package) bool { return p == c.pkg || p != nil && m.sourceOf(p) != nil }
	maps.DeleteFunc(in.interfaced(), func(t types.Type, _ struct{}) bool {
		keep := false
		walkTypes(t, func(t types.Type) {
			switch t := t.(type) {
			case *types.Named:
				keep = keep || isSource(s.host.packageOf(t.Obj())) || t.TypeArgs().Len() > 0 && s.moduleOf(t.Obj()) != nil
			case *types.Struct:
				keep = keep || t.NumFields() > 0
			case *types.TypeParam:
				keep = true
			}
		})
		return !keep
	})
	return main, nil
}
