package ixengine

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goplus/ixgo"
	"github.com/goplus/reflectx"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/rt"
)

// If a cell declares another method for a type of an earlier cell, the type becomes another runtime type: a newer
// version. The session's variables are then used as variables of the newer version (see Session.link). But each
// interface that holds a value also holds the type of that value, and this is the older version. Two things
// make such a value one of the newer version:
//
//   - Before the next cell runs, Session.carryOver (carry.go) changes the type in all interfaces that can be reached from variables.
//   - Type assertions, and so type switches, treat all versions of a type as the same type, and so do comparisons of
//     interfaces. This is for values that carryOver does not reach, such as those in channels and in variables of
//     closures; and for older closures, which make and expect values of the older version.

// versions records the older versions of a session's types. Only the goroutine that builds cells calls note.
type versions struct {
	// some is 1 if there are older versions. Register code reads it.
	some    uint8
	older   map[string][]reflect.Type // by the key of the type's pin (see pinKey); all with the layout of the pinned type
	latest  atomic.Pointer[latestTypes]
	carried bool // the session's variables have been carried over to the versions in latest
	many    bool // these are more than mostVisited values
}

// latestTypes maps older versions of types to their latest versions.
type latestTypes struct {
	of       map[reflect.Type]reflect.Type
	composed sync.Map                        // the same for types composed of others: from reflect.Type to reflect.Type
	older    map[reflect.Type][]reflect.Type // the older versions of a latest version
}

// latestTypesOf holds the latestTypes of all sessions, by the types in them.
var latestTypesOf sync.Map // from reflect.Type to *latestTypes

// note records the types that have since been replaced by other types of the same layout. The map before is an
// earlier state of l.pins.
func (l *loader) note(before map[string]reflect.Type) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := &l.versions
	for key, rt := range before {
		if l.pins[key] != rt {
			v.add(key, rt)
		}
	}
	var of map[reflect.Type]reflect.Type
	older := map[reflect.Type][]reflect.Type{}
	for key, list := range v.older {
		now := l.pins[key]
		if now == nil {
			continue // no program has used the newer version so far
		}
		if !sameLayout(now, list[len(list)-1]) {
			delete(v.older, key)
			continue
		}
		for _, rt := range list {
			if of == nil {
				of = map[reflect.Type]reflect.Type{}
			}
			of[rt] = now
		}
		older[now] = slices.Clone(list)
	}
	if old := v.latest.Load(); of != nil && (old == nil || !maps.Equal(old.of, of)) {
		l := &latestTypes{of: of, older: older}
		for rt, now := range of {
			latestTypesOf.Store(rt, l)
			latestTypesOf.Store(now, l)
		}
		v.latest.Store(l)
		v.some, v.carried = 1, false
	}
}

// fitting returns the version of t that has the methods of the interface type iface, if t itself lacks some. This happens
// between code of different cells: if the signatures of the methods mention a type that has got another method, they are
// other signatures. ok is false if no version has the methods.
func fitting(iface, t rt.Type) (version rt.Type, ok bool) {
	if _, ok := rt.Itab(iface, t); ok {
		return t, true
	}
	of := rt.TypeOf(t)
	compose := func(t reflect.Type) reflect.Type { return t }
	if of.Name() == "" && of.Kind() == reflect.Pointer {
		of, compose = of.Elem(), reflectx.PtrTo
	}
	l, known := latestTypesOf.Load(of)
	if !known {
		return nil, false
	}
	latest := l.(*latestTypes).version(of)
	for _, v := range append([]reflect.Type{latest}, l.(*latestTypes).older[latest]...) {
		version := rt.TypeWord(compose(v))
		if _, ok := rt.Itab(iface, version); ok {
			return version, true
		}
	}
	return nil, false
}

// fit returns v as a value of the version of its type that has the methods of the interface type t; see fitting.
func fit(v any, t reflect.Type) any {
	word, data := rt.Words(v)
	if version, ok := fitting(rt.TypeWord(t), word); ok && version != word {
		return rt.Any(version, data)
	}
	return v
}

// storeVersion returns an instruction that executes old, which stores a value in an interface; see fitting.
func (s *Session) storeVersion(in *ssa.Store, r *registers, old instruction) instruction {
	v := &s.loader.versions
	to, value := r.slotOf(in.Addr), r.slotOf(in.Val)
	return func(fr *frame) {
		if v.some != 0 {
			if stack := stackOf(fr); stack[value] != nil {
				stack[value] = fit(stack[value], reflect.TypeOf(stack[to]).Elem())
			}
		}
		old(fr)
	}
}

// add records rt as an older version of the type whose pin has the given key.
func (v *versions) add(key string, rt reflect.Type) {
	if v.older == nil {
		v.older = map[string][]reflect.Type{}
	}
	v.older[key] = append(v.older[key], rt)
}

// remake adds to the program p the types that are no longer pinned, so that their values can be carried over to the
// new version. The map before is an earlier state of the loader's pins. c and r are the results of the check of p;
// remake returns the results for the program with these types. It changes nothing if the types do not compile, or if
// their methods need too much room.
func (s *Session) remake(p *program, before map[string]reflect.Type, c *checkedProgram, r reach) (*checkedProgram, reach, *engine.Error) {
	again := s.mentionUnpinned(p.env, before)
	if len(again) == 0 {
		return c, r, nil
	}
	n := len(p.extra)
	p.extra = append(p.extra, again...)
	if with, reached, fail := s.checkProgram(p, nil); fail == nil && s.hasRoom(with) {
		return with, reached, nil
	}
	p.extra = p.extra[:n]
	return s.checkProgram(p, nil)
}

// mentionUnpinned returns declarations of hidden variables, one for each type in the given map that is no longer
// pinned. With these variables the program makes the types anew. Types that mention the name of a package are left
// out: they are carried over when a cell mentions them.
func (s *Session) mentionUnpinned(e *env, before map[string]reflect.Type) (vars []ast.Decl) {
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if s.loader.pinned(key) {
			continue
		}
		typ, err := parser.ParseExpr(mainTypes.ReplaceAllString(key, ""))
		if err != nil {
			continue
		}
		known := true
		ast.Inspect(typ, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				known = false
			case *ast.Ident:
				n.NamePos = token.NoPos
			case *ast.StructType:
				n.Struct = token.NoPos
			case *ast.FuncType:
				n.Func = token.NoPos
			case *ast.MapType:
				n.Map = token.NoPos
			case *ast.ArrayType:
				n.Lbrack = token.NoPos
			case *ast.InterfaceType:
				n.Interface = token.NoPos
			}
			return true
		})
		named := typ
		if x, ok := typ.(*ast.IndexExpr); ok {
			named = x.X
		}
		if id, ok := named.(*ast.Ident); ok && (e.decls[id.Name] == nil || e.decls[id.Name].tok != token.TYPE) {
			known = false
		}
		if known {
			vars = append(vars, varDecl(fmt.Sprintf("unpinned__%d", len(vars)), &ast.StarExpr{X: typ}))
		}
	}
	return vars
}

// mainTypes matches what precedes the name of a cell's type in the key of a pin.
var mainTypes = regexp.MustCompile(`\bmain\.`)

// hasRoom reports whether the methods of the program's new types leave room for as many others.
func (s *Session) hasRoom(c *checkedProgram) bool {
	_, _, free := ixgo.IcallStat()
	return s.newMethods(c) < free/2
}

// same reports whether two types are versions of one type.
func (v *versions) same(a, b rt.Type) bool {
	l := v.latest.Load()
	return l != nil && a != nil && b != nil && l.version(rt.TypeOf(a)) == l.version(rt.TypeOf(b))
}

// implementing returns the latest version of t. ok is false if t has no newer version, or if the latest version lacks
// methods of the interface type iface.
func (v *versions) implementing(iface, t rt.Type) (latest rt.Type, ok bool) {
	l := v.latest.Load()
	if l == nil {
		return nil, false
	}
	latest = rt.TypeWord(l.version(rt.TypeOf(t)))
	if latest == t {
		return nil, false
	}
	_, ok = rt.Itab(iface, latest)
	return latest, ok
}

// version returns the latest version of t, which is t itself if it has no other versions.
func (l *latestTypes) version(t reflect.Type) reflect.Type {
	if now, ok := l.of[t]; ok {
		return now
	}
	if t.Name() != "" {
		return t
	}
	if now, ok := l.composed.Load(t); ok {
		return now.(reflect.Type)
	}
	now := t
	switch t.Kind() {
	case reflect.Pointer:
		if e := l.version(t.Elem()); e != t.Elem() {
			now = reflectx.PtrTo(e)
		}
	case reflect.Slice:
		if e := l.version(t.Elem()); e != t.Elem() {
			now = reflect.SliceOf(e)
		}
	case reflect.Array:
		if e := l.version(t.Elem()); e != t.Elem() {
			now = reflect.ArrayOf(t.Len(), e)
		}
	case reflect.Chan:
		if e := l.version(t.Elem()); e != t.Elem() {
			now = reflect.ChanOf(t.ChanDir(), e)
		}
	case reflect.Map:
		if k, e := l.version(t.Key()), l.version(t.Elem()); k != t.Key() || e != t.Elem() {
			now = reflect.MapOf(k, e)
		}
	case reflect.Struct: // structs with embedded or unnamed fields have pins
		fields, changed := make([]reflect.StructField, t.NumField()), false
		for i := range fields {
			f := t.Field(i)
			if f.Anonymous || f.Name == "_" {
				return t
			}
			fields[i], changed = f, changed || l.version(f.Type) != f.Type
			fields[i].Type = l.version(f.Type)
		}
		if changed {
			now = reflect.StructOf(fields)
		}
	case reflect.Func:
		changed := false
		list := func(n int, at func(int) reflect.Type) []reflect.Type {
			types := make([]reflect.Type, n)
			for i := range types {
				types[i] = l.version(at(i))
				changed = changed || types[i] != at(i)
			}
			return types
		}
		if in, out := list(t.NumIn(), t.In), list(t.NumOut(), t.Out); changed {
			now = reflect.FuncOf(in, out, t.IsVariadic())
		}
	}
	l.composed.Store(t, now)
	return now
}

// assertVersion returns the instruction for a type assertion. If the interface holds a value of another version of the
// asserted type, or the latest version of its type has the methods of the asserted interface, the assertion succeeds.
func (s *Session) assertVersion(interp *ixgo.Interp, in *ssa.TypeAssert, r *registers, old instruction) instruction {
	v := &s.loader.versions
	x := r.slotOf(in.X)
	return func(fr *frame) {
		if v.some != 0 {
			if i := &stackOf(fr)[x]; *i != nil {
				to := toType(interp, in.AssertedType)
				t, data := rt.Words(*i)
				asserted := rt.TypeWord(to)
				if to.Kind() != reflect.Interface {
					if t != asserted && v.same(t, asserted) {
						*i = rt.Any(asserted, data)
					}
				} else if _, ok := rt.Itab(asserted, t); to.NumMethod() > 0 && !ok {
					if latest, ok := v.implementing(asserted, t); ok {
						*i = rt.Any(latest, data)
					}
				}
			}
		}
		old(fr)
	}
}

// compareVersions returns the instruction for a comparison of interfaces. Values of different versions of a type are
// compared as values of one type.
func (s *Session) compareVersions(in *ssa.BinOp, r *registers, old instruction) instruction {
	v := &s.loader.versions
	x, y := r.slotOf(in.X), r.slotOf(in.Y)
	return func(fr *frame) {
		if v.some != 0 {
			stack := stackOf(fr)
			a, _ := rt.Words(stack[x])
			if b, data := rt.Words(stack[y]); a != b && v.same(a, b) {
				stack[y] = rt.Any(a, data)
			}
		}
		old(fr)
	}
}
