package ixengine

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goplus/ixgo"
	"github.com/goplus/reflectx"
)

// A compiled package's types.Package is made by reflection. For a large package that takes a millisecond,
// because it includes all reachable types, including those of other packages. So a package that a cell
// imports holds only the names that cells mention and the types that these names need. The interpreter's own
// importer makes everything that a package exports, after all packages on which the package depends. Whole
// packages are made only for code that is run from source and for dot imports.

// isPlain reports whether insert() can add the exports of pkg one by one. If it cannot, ixgo's own loader must import
// the whole package.
func isPlain(pkg *ixgo.Package) bool {
	if pkg.Source != "" || len(pkg.Alias) != 0 {
		return false
	}
	for _, c := range pkg.UntypedConsts {
		if strings.Contains(c.Typ, ".") { // a named type
			return false
		}
	}
	return true
}

// importPartly imports a package, at first without its exports. Session.mention adds the exports that cells mention. A
// package that is not plain (see isPlain) is imported whole.
func (l *loader) importPartly(path string) (*types.Package, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.finish()
	return l.open(path)
}

// open returns the package at path. A plain package (see isPlain) is still empty when it is opened for the first time.
// The caller holds mu.
func (l *loader) open(path string) (*types.Package, error) {
	p, have := l.LookupPackage(path)
	if have && p.Complete() {
		return p, nil
	}
	pkg, ok := ixgo.LookupPackage(path)
	if !ok || !isPlain(pkg) {
		return l.TypesLoader.Import(path)
	}
	if !have {
		p = types.NewPackage(pkg.Path, pkg.Name)
	}
	if p.Name() != pkg.Name { // the name that the importer assumed is wrong
		p.SetName(pkg.Name)
	}
	for path, name := range pkg.Deps {
		// ixgo's loader takes the last path element as the name.
		if _, have := l.LookupPackage(path); !have && path[strings.LastIndexByte(path, '/')+1:] != name {
			if dep, ok := ixgo.LookupPackage(path); ok && !isPlain(dep) {
				continue
			}
			if err := l.SetImport(path, types.NewPackage(path, name), nil); err != nil {
				return nil, err
			}
		}
	}
	err := l.SetImport(path, p, func() error {
		p.MarkComplete()
		return nil
	})
	if err != nil {
		return nil, err
	}
	l.partly[path] = pkg
	l.begin(p, pkg)
	return l.TypesLoader.Import(path)
}

// begin declares in p those named slice, array, map and channel types of pkg whose elements could lead back to the type
// itself. An example is type Nodes []*Node if Node has a method Children() Nodes. ixgo's loader makes such a type only
// after its elements, and would make it twice. But if the type is already declared, the loader uses the declared type.
// The types that begin declares are not complete: see finish.
func (l *loader) begin(p *types.Package, pkg *ixgo.Package) {
	for name, t := range pkg.NamedTypes {
		switch t.Kind() {
		case reflect.Slice, reflect.Array, reflect.Map, reflect.Chan:
		default:
			continue
		}
		if t.Elem().PkgPath() == "" && t.Elem().Name() != "" && (t.Kind() != reflect.Map || t.Key().Name() != "") {
			continue // the elements are numbers or strings
		}
		if _, known := l.TypesLoader.LookupTypes(t); known || p.Scope().Lookup(name) != nil {
			continue
		}
		o := types.NewTypeName(token.NoPos, p, name, nil)
		l.begun[t] = types.NewNamed(o, types.NewSlice(types.Universe.Lookup("any").Type()), nil)
		p.Scope().Insert(o)
	}
}

// finish completes those types declared by begin that ixgo's loader has encountered. The caller holds mu.
func (l *loader) finish() {
	for again := true; again; {
		again = false
		for t, named := range l.begun {
			if _, met := l.TypesLoader.LookupTypes(t); !met {
				continue
			}
			again = true
			delete(l.begun, t)
			elem := l.ToType(t.Elem())
			switch t.Kind() {
			case reflect.Slice:
				named.SetUnderlying(types.NewSlice(elem))
			case reflect.Array:
				named.SetUnderlying(types.NewArray(elem, int64(t.Len())))
			case reflect.Map:
				named.SetUnderlying(types.NewMap(l.ToType(t.Key()), elem))
			case reflect.Chan:
				dir := map[reflect.ChanDir]types.ChanDir{reflect.BothDir: types.SendRecv, reflect.SendDir: types.SendOnly, reflect.RecvDir: types.RecvOnly}
				named.SetUnderlying(types.NewChan(dir[t.ChanDir()], elem))
			}
			has := map[string]bool{}
			l.addMethods(named, named, t, has)
			l.addMethods(named, types.NewPointer(named), reflect.PointerTo(t), has)
		}
	}
}

// addMethods adds to named those methods of t whose names are not yet in seen, and adds their names to seen. The
// receivers get the type recv. Methods that the linker has left out of the program are left out.
func (l *loader) addMethods(named *types.Named, recv types.Type, t reflect.Type, seen map[string]bool) {
	p := named.Obj().Pkg()
	tuple := func(list []reflect.Type) *types.Tuple {
		var vars []*types.Var
		for _, t := range list {
			vars = append(vars, types.NewParam(token.NoPos, p, "", l.ToType(t)))
		}
		return types.NewTuple(vars...)
	}
	for i := range reflectx.NumMethodX(t) {
		m := reflectx.MethodX(t, i)
		if m.Type == nil || seen[m.Name] {
			continue
		}
		seen[m.Name] = true
		in, out := slices.Collect(m.Type.Ins()), slices.Collect(m.Type.Outs())
		sig := types.NewSignatureType(types.NewParam(token.NoPos, p, "", recv), nil, nil, tuple(in[1:]), tuple(out), m.Type.IsVariadic())
		named.AddMethod(types.NewFunc(token.NoPos, p, m.Name, sig))
	}
}

// importPackage imports a whole package, which must not be the host package. The caller holds mu.
func (l *loader) importPackage(path string) (*types.Package, error) {
	p, err := l.open(path)
	pkg := l.partly[path]
	if err != nil || pkg == nil {
		return p, err
	}
	for name := range pkg.Interfaces {
		l.insert(p, pkg, name)
	}
	// Structs first: this adds the types of their fields too.
	for _, structs := range []bool{true, false} {
		for name, t := range pkg.NamedTypes {
			if structs == (t.Kind() == reflect.Struct) {
				l.insert(p, pkg, name)
			}
		}
	}
	for name := range pkg.AliasTypes {
		l.insert(p, pkg, name)
	}
	for name := range pkg.Funcs {
		l.insert(p, pkg, name)
	}
	for name := range pkg.Vars {
		l.insert(p, pkg, name)
	}
	for name := range pkg.TypedConsts {
		l.insert(p, pkg, name)
	}
	for name := range pkg.UntypedConsts {
		l.insert(p, pkg, name)
	}
	l.finish()
	delete(l.partly, path)
	return p, nil
}

// insert adds pkg's export with the given name to p, and reports whether pkg has that export.
func (l *loader) insert(p *types.Package, pkg *ixgo.Package, name string) bool {
	if t, ok := pkg.Interfaces[name]; ok {
		l.InsertInterface(p, name, t)
	} else if t, ok := pkg.NamedTypes[name]; ok {
		l.InsertNamedType(p, name, t)
	} else if p.Scope().Lookup(name) != nil {
		return true // already inserted
	} else if t, ok := pkg.AliasTypes[name]; ok {
		l.InsertAlias(p, name, t)
	} else if f, ok := pkg.Funcs[name]; ok {
		l.InsertFunc(p, name, f)
	} else if v, ok := pkg.Vars[name]; ok {
		l.InsertVar(p, name, v.Elem())
	} else if c, ok := pkg.TypedConsts[name]; ok {
		l.InsertTypedConst(p, name, c)
	} else if c, ok := pkg.UntypedConsts[name]; ok {
		l.InsertUntypedConst(p, name, c)
	} else {
		return false
	}
	return true
}

// mention adds, to the packages that a file imports, the names that the file mentions. Imports that fail are left for
// the type checker to report.
func (s *Session) mention(file *ast.File) {
	defer s.instantiateIterators()
	imports := map[string]string{} // name -> import path
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || path == hostPath {
			continue
		}
		if spec.Name.Name == "." {
			_, _ = s.loader.Import(path)
		} else if _, err := s.importer.Import(path); err == nil {
			imports[spec.Name.Name] = path
		}
	}
	if len(imports) == 0 {
		return
	}
	l := s.loader
	l.mu.Lock()
	defer l.mu.Unlock()
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && imports[x.Name] != "" {
				path := imports[x.Name]
				if pkg := l.partly[path]; pkg != nil {
					// The checker's message about an unknown name depends on the names that the package has.
					if p, ok := l.LookupPackage(path); ok && !l.insert(p, pkg, sel.Sel.Name) {
						_, _ = l.importPackage(path)
					}
				}
			}
		}
		return true
	})
	l.finish()
}

// importDot imports a package for a dot import, but leaves out the names that the program itself declares. In
// Go it is an error if the package and the program declare the same name; in a notebook the later declaration wins.
func (s *Session) importDot(path string) (*types.Package, error) {
	if _, err := s.loader.Import(path); err != nil {
		return nil, err
	}
	all, err := s.importer.Import(path)
	if err != nil {
		return nil, err
	}
	some := types.NewPackage(dotted+path, all.Name())
	for _, name := range all.Scope().Names() {
		if !s.hidden[name] {
			some.Scope().Insert(all.Scope().Lookup(name))
		}
	}
	some.MarkComplete()
	return some, nil
}

// wholeImports makes c import whole packages in place of the packages made by importDot.
func (s *Session) wholeImports(c *checkedProgram) {
	var list []*types.Package
	for _, p := range c.pkg.Imports() {
		if path, ok := strings.CutPrefix(p.Path(), dotted); ok {
			p, _ = s.importer.Import(path)
		}
		if p != nil && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	c.pkg.SetImports(list)
}
