package ixengine

import (
	"go/types"
	"reflect"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
)

// tables makes the tables through which programs reach the packages' declarations, and registers their types
// with the loader.
func (l *loadCall) tables() {
	s := l.s
	funcs := field[map[*ssa.Function]unsafe.Pointer](unsafe.Pointer(l.interp), layout.funcs)
	globals := field[map[string]any](unsafe.Pointer(l.interp), layout.globals)
	pins := map[string]reflect.Type{}
	own := map[*types.TypeName]reflect.Type{}
	pin := &pinner{l: l, pins: pins, seen: map[types.Type]bool{}}
	for _, m := range l.mine {
		path := m.src.Path
		m.table = &ixgo.Package{Path: path, Name: m.src.Name, Vars: map[string]reflect.Value{}, Funcs: map[string]reflect.Value{}}
		members := l.pkg.Prog.Package(m.pkg)
		scope := m.pkg.Scope()
		for _, name := range scope.Names() {
			o := scope.Lookup(name)
			if isGeneric(o) {
				continue
			}
			switch o := o.(type) {
			case *types.Func:
				if f := members.Func(name); f != nil && funcs[f] != nil {
					m.table.Funcs[name] = makeFunction(funcs[f], toType(l.interp, o.Type()), nil)
				} else if f, ok := l.linked[path+"."+name]; ok {
					m.table.Funcs[name] = f
				}
				pin.walk(o.Type())
			case *types.Var:
				if addr := globals[path+"."+name]; addr != nil {
					m.table.Vars[name] = reflect.ValueOf(addr)
				}
				pin.walk(o.Type())
			case *types.TypeName:
				if i, ok := o.Type().Underlying().(*types.Interface); ok && !i.IsMethodSet() {
					continue // the interface is a constraint
				}
				if n, ok := o.Type().(*types.Named); ok && !o.IsAlias() {
					own[n.Obj()] = toType(l.interp, n)
				}
				pin.walk(o.Type())
			}
		}
		for _, n := range m.local { // a variable of a cell can hold a value of a local type
			if !m.perInstance[n.Obj()] {
				own[n.Obj()] = toType(l.interp, n)
			}
		}
	}
	s.loader.adopt(own, pins)
}

// A pinner collects the runtime types of those types that each program would otherwise make anew; pinKey decides which
// types these are.
type pinner struct {
	l    *loadCall
	pins map[string]reflect.Type
	seen map[types.Type]bool
}

// walk collects the runtime types of t and of the types reachable from t. It leaves out types that programs do not
// make anew. For types that the packages declare, it follows the underlying type and the methods.
func (p *pinner) walk(t types.Type) {
	walkTypes(t, func(t types.Type) {
		if p.seen[t] {
			return
		}
		p.seen[t] = true
		if key, ok := pinKey(t); ok {
			p.pins[key] = toType(p.l.interp, t)
		}
		n, ok := t.(*types.Named)
		if !ok || p.l.packageOf(n) == nil || n.TypeParams().Len() != n.TypeArgs().Len() || hasTypeParam(n) {
			return
		}
		p.walk(n.Underlying())
		for i := range n.NumMethods() {
			p.walk(n.Method(i).Type())
		}
	})
}

// adopt registers the runtime types of loaded packages. own holds the types that the packages declare. pins holds the
// types that programs would otherwise make anew, under the keys that pinKey returns for them. A key that is already
// registered keeps its type.
func (l *loader) adopt(own map[*types.TypeName]reflect.Type, pins map[string]reflect.Type) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for o, rt := range own {
		l.own[o] = rt
		l.typeOf[rt] = o.Type()
	}
	for key, rt := range pins {
		if _, have := l.pins[key]; !have {
			l.pins[key] = rt
		}
	}
}

// ownType returns the runtime type of t if t is declared by a loaded package, or is a pointer to such a type (see
// adopt). Otherwise it returns nil. The caller holds mu.
func (l *loader) ownType(t types.Type) reflect.Type {
	if len(l.own) == 0 {
		return nil
	}
	switch t := t.(type) {
	case *types.Named:
		if t.TypeArgs().Len() == 0 {
			return l.own[t.Obj()]
		}
	case *types.Pointer:
		if n, ok := t.Elem().(*types.Named); ok && n.TypeArgs().Len() == 0 {
			if rt := l.own[n.Obj()]; rt != nil {
				return reflect.PointerTo(rt)
			}
		}
	}
	return nil
}

// LookupTypes is the inverse of LookupReflect.
func (l *loader) LookupTypes(rt reflect.Type) (types.Type, bool) {
	l.mu.Lock()
	t, ok := l.typeOf[rt]
	l.mu.Unlock()
	if ok {
		return t, true
	}
	return l.TypesLoader.LookupTypes(rt)
}
