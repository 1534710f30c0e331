package ixengine

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/types/typeutil"
)

// host is the package that every program imports as oc__:
//
//	var Stop bool             set when something may have to be stopped
//	func Poll()               panics if the calling goroutine must stop
//	func Result(values ...any)  receives the values of a cell's last expression
//	func Enter(), At0(), ...  mark places in debug form; see debug_form.go
//	type T1 = ...             aliases for types of variables
type host struct {
	pkg     *types.Package
	loaded  *ixgo.Package
	aliases typeutil.Map                    // types.Type -> alias name
	added   map[*types.Scope]*types.Package // source patches of packages; see nameAdded
	n       int
	stop    bool // read by cells without a lock; see stopper
}

// setStop sets the stop flag. It is hidden from the race detector because readers take no lock; see stopper.
//
//go:norace
func (h *host) setStop(up bool) { h.stop = up }

func newHost() *host {
	h := &host{pkg: types.NewPackage(hostPath, hostName), added: map[*types.Scope]*types.Package{}}
	scope := h.pkg.Scope()
	scope.Insert(types.NewVar(token.NoPos, h.pkg, "Stop", types.Typ[types.Bool]))
	scope.Insert(types.NewFunc(token.NoPos, h.pkg, "Poll", types.NewSignatureType(nil, nil, nil, nil, nil, false)))
	scope.Insert(types.NewFunc(token.NoPos, h.pkg, enterName, types.NewSignatureType(nil, nil, nil, nil, nil, false)))
	anys := types.NewSlice(types.Universe.Lookup("any").Type())
	args := types.NewTuple(types.NewVar(token.NoPos, h.pkg, "values", anys))
	scope.Insert(types.NewFunc(token.NoPos, h.pkg, "Result", types.NewSignatureType(nil, nil, nil, args, nil, true)))
	h.pkg.MarkComplete()
	h.loaded = &ixgo.Package{
		Name: hostName, Path: hostPath,
		Vars: map[string]reflect.Value{"Stop": reflect.ValueOf(&h.stop)},
	}
	return h
}

// alias returns the name that programs use for t. The name is declared for t itself, without a types.Alias, so the type
// checker's messages mention t and not the alias.
func (h *host) alias(t types.Type) string {
	if name := h.aliases.At(t); name != nil {
		return name.(string)
	}
	h.n++
	name := fmt.Sprintf("T%d", h.n)
	h.aliases.Set(t, name)
	h.pkg.Scope().Insert(types.NewTypeName(token.NoPos, h.pkg, name, t))
	return name
}

// aliasAs returns the name that programs use for t, which is the wanted name if that is possible. It is not possible
// if the name is unexported, or if it is already used for another type.
func (h *host) aliasAs(name string, t types.Type) string {
	if !token.IsExported(name) {
		return h.alias(t)
	}
	o := h.pkg.Scope().Lookup(name)
	if o == nil {
		h.pkg.Scope().Insert(types.NewTypeName(token.NoPos, h.pkg, name, t))
		return name
	}
	if _, isType := o.(*types.TypeName); isType && types.Identical(o.Type(), t) {
		return name
	}
	return h.alias(t)
}

// packageOf returns the package in which o is declared. If o is declared in a source patch (source code that the
// interpreter adds to a compiled package), packageOf returns the patch, and not the package that o.Pkg returns.
func (h *host) packageOf(o *types.TypeName) *types.Package {
	if p := h.added[o.Parent()]; p != nil {
		return p
	}
	return o.Pkg()
}

// setImports makes the host package import the packages of the named types in list. A cell can use a variable
// of an imported type without importing its package, but the SSA builder still needs the methods of that
// package.
func (h *host) setImports(list []types.Type) {
	var pkgs []*types.Package
	seen := map[*types.Package]bool{nil: true, h.pkg: true}
	for _, t := range list {
		walkNamed(t, func(n *types.Named) {
			if p := h.packageOf(n.Obj()); !seen[p] && !isMain(n.Obj()) {
				seen[p] = true
				pkgs = append(pkgs, p)
			}
		})
	}
	h.pkg.SetImports(pkgs)
}

// A loader is ixgo's loader of compiled packages with two additions: it adds the host package, and it
// preserves the identity of types between programs. Each program has its own types.Package main and its own
// types.Named; pins maps the text of a named type to the reflect.Type that all programs use.
//
// Goroutines of earlier cells ask for types too (for println, for example), so access is locked; ixgo's own loader has
// no lock. Code that holds mu calls LookupTypes of ixgo's loader, because the method LookupTypes of this type locks mu
// itself.
type loader struct {
	*ixgo.TypesLoader
	host *host

	mu        sync.Mutex
	pins      map[string]reflect.Type
	importing bool                          // set by the goroutine of Run, which holds mu as long as the flag is set
	partly    map[string]*ixgo.Package      // keyed by path; see imports.go
	begun     map[reflect.Type]*types.Named // see loader.begin
	versions  versions
	iterators map[string]reflect.Type // compiled types of iterators, by the keys of their pins; see instanceOf

	// The types and tables of packages run from source (modules.go). Only the goroutine of Run reads and
	// writes the tables.
	own    map[*types.TypeName]reflect.Type
	typeOf map[reflect.Type]types.Type // inverse of own
	module func(path string) *sourcePackage
}

func (l *loader) pinned(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pins[key] != nil || l.iterators[key] != nil
}

// snapshot returns a copy of the pins; restore sets the pins to such a copy.
func (l *loader) snapshot() map[string]reflect.Type {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.pins)
}

func (l *loader) restore(pins map[string]reflect.Type) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pins = pins
}

// unpin removes the pins whose keys match the given pattern.
func (l *loader) unpin(mentions *regexp.Regexp) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.pins, func(key string, _ reflect.Type) bool { return mentions.MatchString(key) })
}

func (l *loader) Import(path string) (*types.Package, error) {
	if path == hostPath {
		return l.host.pkg, nil
	}
	if m := l.module(path); m != nil {
		return m.pkg, nil
	}
	// A package that is loaded from source calls this to import other packages.
	if !l.importing {
		l.mu.Lock()
		l.importing = true
		defer func() {
			l.importing = false
			l.mu.Unlock()
		}()
	}
	return l.importPackage(path)
}

func (l *loader) Installed(path string) (*ixgo.Package, bool) {
	if path == hostPath {
		return l.host.loaded, true
	}
	if m := l.module(path); m != nil {
		return m.table, true
	}
	return l.TypesLoader.Installed(path)
}

func (l *loader) LookupReflect(t types.Type) (reflect.Type, bool) {
	if types.Unalias(t) == errorType { // in generic functions, the interpreter would take it for an unnamed interface
		return reflect.TypeFor[error](), true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if rt := l.ownType(t); rt != nil {
		return rt, true
	}
	if rt, ok := l.TypesLoader.LookupReflect(t); ok {
		return rt, true
	}
	if key, ok := pinKey(t); ok {
		if rt, ok := l.pins[key]; ok {
			return rt, true
		}
		rt, ok := l.iterators[key]
		return rt, ok
	}
	return nil, false
}

var errorType = types.Universe.Lookup("error").Type()

// pinKey returns the text that identifies t in all programs. The second result is false if t has no such text. Only
// types that the interpreter would otherwise make anew in each program have one: named types that cells declare, instances
// of generic types of packages, structs, and unnamed interfaces with methods. Types that are declared in generic
// functions have none.
func pinKey(t types.Type) (string, bool) {
	switch t := t.(type) {
	case *types.Named:
		if isLocal(t) {
			// The function's syntax tree, and so the position, is the same in all programs.
			return fmt.Sprintf("%s %d %s", types.TypeString(t, nil), t.Obj().Pos(), types.TypeString(t.Underlying(), nil)), true
		}
		if !isTopLevel(t) && (isMain(t.Obj()) || t.TypeArgs().Len() == 0) || t.TypeParams().Len() != t.TypeArgs().Len() {
			return "", false
		}
	case *types.Struct:
		if t.NumFields() == 0 {
			return "", false
		}
	case *types.Interface:
		if t.NumMethods() == 0 || !t.IsMethodSet() {
			return "", false
		}
	default:
		return "", false
	}
	ok := true
	walkNamed(t, func(n *types.Named) { ok = ok && (!isMain(n.Obj()) || isTopLevel(n)) })
	if !ok || hasTypeParam(t) {
		return "", false
	}
	if i, ok := t.(*types.Interface); ok {
		return interfaceKey(i), true
	}
	return types.TypeString(t, nil), true
}

// interfaceKey returns the same text for all interfaces with the same methods, whether listed or embedded.
func interfaceKey(t *types.Interface) string {
	var key strings.Builder
	for m := range t.Methods() {
		fmt.Fprintf(&key, "%s%s; ", m.Id(), strings.TrimPrefix(types.TypeString(m.Type(), nil), "func"))
	}
	return "interface{" + key.String() + "}"
}

// pinAll pins t, and the types of which t consists, if pinKey has a key for them. It walks t and its runtime type rt
// in parallel.
func (l *loader) pinAll(t types.Type, rt reflect.Type) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := map[types.Type]bool{}
	var walk func(types.Type, reflect.Type)
	walk = func(t types.Type, rt reflect.Type) {
		t = types.Unalias(t)
		if rt == nil || seen[t] {
			return
		}
		seen[t] = true
		if key, ok := pinKey(t); ok {
			if _, have := l.pins[key]; !have {
				l.pins[key] = rt
			}
		}
		if n, ok := t.(*types.Named); ok && !isMain(n.Obj()) {
			return
		}
		switch u := t.Underlying().(type) {
		case *types.Map:
			if rt.Kind() == reflect.Map {
				walk(u.Key(), rt.Key())
				walk(u.Elem(), rt.Elem())
			}
		case *types.Struct:
			if rt.Kind() == reflect.Struct && rt.NumField() == u.NumFields() {
				for i := range u.NumFields() {
					walk(u.Field(i).Type(), rt.Field(i).Type)
				}
			}
		case *types.Interface:
			// The methods may mention the instance of a generic interface that has this one as its underlying type.
			for m := range u.Methods() {
				if method, ok := rt.MethodByName(m.Name()); ok && rt.Kind() == reflect.Interface {
					walk(m.Type(), method.Type)
				}
			}
		case *types.Signature:
			if rt.Kind() == reflect.Func && rt.NumIn() == u.Params().Len() && rt.NumOut() == u.Results().Len() {
				for i := range u.Params().Len() {
					walk(u.Params().At(i).Type(), rt.In(i))
				}
				for i := range u.Results().Len() {
					walk(u.Results().At(i).Type(), rt.Out(i))
				}
			}
		case interface{ Elem() types.Type }: // the map, which is such a type too, is above
			switch rt.Kind() {
			case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
				walk(u.Elem(), rt.Elem())
			}
		}
	}
	walk(t, rt)
}
