package main

import (
	"bytes"
	"fmt"
	"go/constant"
	"go/format"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"

	"overcomplete/internal/module"
	"overcomplete/kernel/toolchain"
)

// A file is one generated file. Its text is nil if the package could not be loaded.
type file struct {
	name string
	text []byte

	path    string   // of the package
	skipped []string // exported names that a table cannot have
}

// generate makes the files of all packages in the lists, or of those whose path
// contains one of the words. errs holds the faults of single packages; the
// files of the others are complete.
func generate(root string, words []string) (files []file, errs []error) {
	wanted := func(path string) bool {
		return len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(path, w) })
	}
	ownPaths, err := discover(root)
	if err != nil {
		return nil, []error{err}
	}
	bound := map[string]bool{"unsafe": true}
	var patterns []string
	for _, list := range [][]string{standardOf(toolchain.Current()), thirdParty, ownPaths} {
		for _, path := range list {
			bound[path] = true
			if wanted(path) {
				patterns = append(patterns, path)
			}
		}
	}
	for _, path := range viaInterpreter {
		bound[path] = true
	}
	if len(patterns) == 0 {
		return nil, []error{fmt.Errorf("gen: no package matches %q", words)}
	}
	pkgs, err := packages.Load(&packages.Config{
		Dir:  root,
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports,
	}, patterns...)
	if err != nil {
		return nil, []error{fmt.Errorf("gen: %w", err)}
	}
	for _, p := range pkgs {
		f := file{name: fileName(p.PkgPath), path: p.PkgPath}
		if len(p.Errors) > 0 || p.Types == nil {
			for _, e := range p.Errors {
				errs = append(errs, fmt.Errorf("gen: %s: %v", p.PkgPath, e))
			}
			files = append(files, f)
			continue
		}
		g := &generator{pkg: p.Types, bound: bound, own: slices.Contains(ownPaths, p.PkgPath)}
		f.text, err = g.file()
		if err != nil {
			errs = append(errs, err)
			f.text = nil
		}
		errs = append(errs, g.errs...)
		f.skipped = g.skipped
		files = append(files, f)
	}
	sort.Slice(files, func(i, j int) bool { return files[i].name < files[j].name })
	for i := 1; i < len(files); i++ {
		if files[i].name == files[i-1].name {
			errs = append(errs, fmt.Errorf("gen: two packages would be written to %s", files[i].name))
		}
	}
	return files, errs
}

// discover lists the packages of this module that cells may import. A package
// that does not compile is listed too; its error is reported when it is loaded.
func discover(root string) ([]string, error) {
	pkgs, err := packages.Load(&packages.Config{Dir: root, Mode: packages.NeedName | packages.NeedFiles}, own...)
	if err != nil {
		return nil, fmt.Errorf("gen: %w", err)
	}
	var paths []string
	for _, p := range pkgs {
		parts := strings.Split(p.PkgPath, "/")
		if p.Name == "main" || len(p.GoFiles) == 0 || slices.Contains(parts, "internal") || slices.Contains(parts, "testdata") {
			continue
		}
		paths = append(paths, p.PkgPath)
	}
	slices.Sort(paths)
	return paths, nil
}

// A generator writes the table of one package.
type generator struct {
	pkg   *types.Package
	bound map[string]bool // the packages that cells can import
	own   bool            // a package of this module: generic exports are an error
	errs  []error

	types, aliases, vars, funcs, consts []string
	skipped                             []string
	deps                                map[string]string
	seen                                map[types.Type]bool
}

func (g *generator) file() ([]byte, error) {
	g.deps = map[string]string{}
	g.seen = map[types.Type]bool{}
	scope := g.pkg.Scope()
	for _, name := range scope.Names() {
		if token.IsExported(name) {
			g.object(scope.Lookup(name))
		}
	}
	delete(g.deps, g.pkg.Path())
	delete(g.deps, "unsafe")
	return g.write()
}

func (g *generator) object(obj types.Object) {
	name := obj.Name()
	switch obj := obj.(type) {
	case *types.Const:
		g.constant(obj)
		g.reach(obj.Type())
	case *types.Var:
		g.vars = append(g.vars, fmt.Sprintf("{Name: %q, Value: &q.%s}", name, name))
		g.reach(obj.Type())
	case *types.Func:
		if obj.Signature().TypeParams().Len() > 0 {
			g.generic("function", name)
			return
		}
		if instance(obj.Signature()) {
			g.generic("function of an instance of a type such as iter.Seq", name)
			return
		}
		g.funcs = append(g.funcs, fmt.Sprintf("{Name: %q, Value: q.%s}", name, name))
		g.reach(obj.Type())
	case *types.TypeName:
		if generic(obj.Type()) {
			g.generic("type", name)
			return
		}
		if i, ok := obj.Type().Underlying().(*types.Interface); ok && !i.IsMethodSet() {
			g.generic("constraint", name)
			return
		}
		entry := fmt.Sprintf("{Name: %q, Value: (*q.%s)(nil)}", name, name)
		if obj.IsAlias() {
			g.aliases = append(g.aliases, entry)
		} else {
			g.types = append(g.types, entry)
		}
		g.reach(obj.Type())
	}
}

func generic(t types.Type) bool {
	switch t := t.(type) {
	case *types.Named:
		return t.TypeParams().Len() > t.TypeArgs().Len()
	case *types.Alias:
		return t.TypeParams().Len() > t.TypeArgs().Len()
	}
	return false
}

// instance reports whether a parameter or result is an instance of a generic
// type. Through reflection the interpreter sees such a type as a plain type with
// an odd name, and then infers nothing from it: slices.Collect would refuse it.
func instance(sig *types.Signature) bool {
	for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range tuple.Variables() {
			if n, ok := types.Unalias(v.Type()).(*types.Named); ok && n.TypeArgs().Len() > 0 {
				return true
			}
		}
	}
	return false
}

// generic notes an export that exists only once it has been instantiated and so
// cannot be put in a table.
func (g *generator) generic(what, name string) {
	if g.own {
		g.errs = append(g.errs, fmt.Errorf("gen: %s.%s is a generic %s: the packages that cells import must have none",
			g.pkg.Path(), name, what))
	}
	g.skipped = append(g.skipped, name)
}

// constant writes the constant by name where a Go type can hold it, so that a
// constant whose value depends on the platform has the value of the platform
// compiled for.
func (g *generator) constant(c *types.Const) {
	name, typ, untyped := c.Name(), "nil", c.Type().String()
	basic := c.Type().Underlying().(*types.Basic)
	if basic.Info()&types.IsUntyped == 0 {
		typ, untyped = g.nilPointer(c), ""
	}
	var value string
	switch v := c.Val(); v.Kind() {
	case constant.Bool:
		value = fmt.Sprintf("bool(q.%s)", name)
	case constant.String:
		value = fmt.Sprintf("string(q.%s)", name)
	case constant.Int:
		if _, ok := constant.Int64Val(v); ok && basic.Info()&types.IsUnsigned == 0 {
			value = fmt.Sprintf("int64(q.%s)", name)
		} else if _, ok := constant.Uint64Val(v); ok {
			value = fmt.Sprintf("uint64(q.%s)", name)
		} else {
			value = fmt.Sprintf("bind.Exact(%q)", v.ExactString())
		}
	case constant.Float:
		value = fmt.Sprintf("bind.Exact(%q)", v.ExactString())
	default:
		g.errs = append(g.errs, fmt.Errorf("gen: %s.%s: cannot write a constant of kind %v", g.pkg.Path(), name, v.Kind()))
		return
	}
	// A floating-point constant with a whole value may have kind Int or Float.
	if basic.Info()&types.IsFloat != 0 {
		value = fmt.Sprintf("bind.Exact(%q)", constant.ToFloat(c.Val()).ExactString())
	}
	kind := "Type: " + typ
	if untyped != "" {
		kind = fmt.Sprintf("Untyped: %q", untyped)
	}
	g.consts = append(g.consts, fmt.Sprintf("{Name: %q, %s, Value: %s}", name, kind, value))
}

// nilPointer spells a nil pointer to the type of a typed constant. A type that
// is defined in another package, or not exported, is taken from the constant.
func (g *generator) nilPointer(c *types.Const) string {
	switch t := types.Unalias(c.Type()).(type) {
	case *types.Basic:
		return fmt.Sprintf("(*%s)(nil)", t.Name())
	case *types.Named:
		if t.Obj().Pkg() == g.pkg && t.Obj().Exported() {
			return fmt.Sprintf("(*q.%s)(nil)", t.Obj().Name())
		}
	}
	return fmt.Sprintf("bind.PointerTo(q.%s)", c.Name())
}

// reach collects in g.deps the packages of all named types that the interpreter
// meets when it reads t through reflection. The interpreter visits the fields,
// exported or not, and the methods of every type, but stops at types of
// packages that cells can import, since these name their own dependencies.
func (g *generator) reach(t types.Type) {
	t = types.Unalias(t)
	if g.seen[t] {
		return
	}
	g.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			g.reach(t.TypeArgs().At(i))
		}
		pkg := t.Obj().Pkg()
		if pkg == nil {
			return
		}
		g.deps[pkg.Path()] = pkg.Name()
		if pkg != g.pkg && g.bound[pkg.Path()] {
			return
		}
		g.reach(t.Underlying())
		for i := range t.NumMethods() {
			// Reflection shows methods that are not exported where the linker has
			// kept their types, which it may for any of ours.
			if m := t.Method(i); m.Exported() || g.own {
				g.reach(m.Type())
			}
		}
	case *types.Pointer:
		g.reach(t.Elem())
	case *types.Slice:
		g.reach(t.Elem())
	case *types.Array:
		g.reach(t.Elem())
	case *types.Chan:
		g.reach(t.Elem())
	case *types.Map:
		g.reach(t.Key())
		g.reach(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			g.reach(t.Field(i).Type())
		}
	case *types.Interface:
		for i := range t.NumMethods() {
			g.reach(t.Method(i).Type())
		}
	case *types.Signature:
		for v := range t.Params().Variables() {
			g.reach(v.Type())
		}
		for v := range t.Results().Variables() {
			g.reach(v.Type())
		}
	}
}

func (g *generator) write() ([]byte, error) {
	path := g.pkg.Path()
	var b bytes.Buffer
	b.WriteString(generatedLine + "//lint:file-ignore SA1019 what a package exports is bound, deprecated or not\n\n")
	if len(g.skipped) > 0 {
		fmt.Fprintf(&b, "// Generic, and so not here: %s.\n\n", strings.Join(g.skipped, ", "))
	}
	name := "q"
	if len(g.types)+len(g.aliases)+len(g.vars)+len(g.funcs)+len(g.consts) == 0 {
		name = "_"
	}
	fmt.Fprintf(&b, "package bindings\n\nimport (\n\t%s %q\n\n\t%q\n)\n\n", name, path, module.Package("kernel/bind"))
	v := "pkg_" + strings.TrimSuffix(filepath.Base(fileName(path)), "_bind.go")
	fmt.Fprintf(&b, "func init() { bind.Register(&%s) }\n\n", v)
	fmt.Fprintf(&b, "var %s = bind.Package{\n\tPath: %q,\n\tName: %q,\n", v, path, g.pkg.Name())
	if len(g.deps) > 0 {
		fmt.Fprintf(&b, "\tDeps: []bind.Dep{\n")
		for _, d := range sortedKeys(g.deps) {
			fmt.Fprintf(&b, "\t\t{Path: %q, Name: %q},\n", d, g.deps[d])
		}
		fmt.Fprintf(&b, "\t},\n")
	}
	list := func(field, typ string, entries []string) {
		if len(entries) == 0 {
			return
		}
		fmt.Fprintf(&b, "\t%s: []%s{\n", field, typ)
		for _, e := range entries {
			fmt.Fprintf(&b, "\t\t%s,\n", e)
		}
		fmt.Fprintf(&b, "\t},\n")
	}
	list("Types", "bind.Object", g.types)
	list("Aliases", "bind.Object", g.aliases)
	list("Vars", "bind.Object", g.vars)
	list("Funcs", "bind.Object", g.funcs)
	list("Consts", "bind.Const", g.consts)
	fmt.Fprintf(&b, "}\n")
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("gen: %s: %w", path, err)
	}
	return text, nil
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
