package ixengine

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/goplus/reflectx"
	"golang.org/x/tools/go/types/typeutil"
)

// Promoted methods. The interpreter shares the functions of promoted methods between all types that embed the
// same type as a field of the same index. But the functions fit only the type for which they were first made:
// they look for the embedded field at its offset in that type, and copy as many bytes as that type has. This
// is wrong for a type in which the fields before the embedded field are longer or shorter. So after an
// interpreter is made, and before its code runs, each type that shares functions with a type of a different
// layout gets functions of its own. There is only one set of functions per layout, because entry points of
// methods are scarce and unnamed types are made anew in each program.

// A promotion is the pair of method table entries that were made for one promoted method of a type: the entry in the
// type's own table, and the entry in the table of the pointer to the type.
type promotion struct {
	of             reflect.Type // the type for which the functions were made
	value, pointer tableEntry   // zero if the functions are those that the interpreter shares
}

// promotions holds the functions of promoted methods, keyed by the function that the interpreter shares between types.
var promotions = promotionTable{all: map[int32][]promotion{}, mended: map[reflect.Type]bool{}}

type promotionTable struct {
	mu     sync.Mutex
	all    map[int32][]promotion
	mended map[reflect.Type]bool
}

func (t *promotionTable) add(given int32, p promotion) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all[given] = append(t.all[given], p)
}

func (t *promotionTable) with(given int32) []promotion {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[given]
}

// first reports whether this is the first call with the type rt.
func (t *promotionTable) first(rt reflect.Type) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mended[rt] {
		return false
	}
	t.mended[rt] = true
	return true
}

// shared is the interpreter's table of shared functions.
//
//go:linkname shared github.com/goplus/ixgo.mfnMap
var shared sync.Map

//go:linkname selectionsOf github.com/goplus/ixgo.(*TypesRecord).extractMethodSet
func selectionsOf(r *ixgo.TypesRecord, t types.Type) (methods []*types.Selection, pointers, values int)

//go:linkname setMethods github.com/goplus/ixgo.(*TypesRecord).setMethods
func setMethods(r *ixgo.TypesRecord, t reflect.Type, methods []*types.Selection)

// mendTypes corrects the types that interp has made. For struct types, it corrects the promoted methods, which may have
// functions that fit another type (see the top of this file), the marks that say which fields are embedded (see
// mendNamed), and the package of unexported fields (see mendNamed and mendPackage). For all types, it corrects the
// methods that compiled code finds by reflection (see mendDirect).
func mendTypes(interp *ixgo.Interp, l *loader) {
	mendWords()
	record := field[*ixgo.TypesRecord](unsafe.Pointer(interp), layout.record)
	for _, offset := range []uintptr{layout.tcache, layout.ncache} {
		field[*typeutil.Map](unsafe.Pointer(record), offset).Iterate(func(t types.Type, v any) {
			rt, ok := v.(reflect.Type)
			if !ok || rt.Kind() == reflect.Interface {
				return
			}
			if rt.Kind() == reflect.Struct {
				switch t := t.(type) {
				case *types.Named:
					l.mendNamed(t, rt)
				case *types.Struct:
					mendPackage(t, rt)
				}
				if madeWithMethods(rt) && promotions.first(rt) {
					mendPromotedOf(record, t, rt)
				}
			}
			if rt.Kind() != reflect.Pointer {
				mendDirect(rt)
			}
		})
	}
}

// mendPromotedOf makes the promoted methods of rt use functions that fit the layout of rt. rt is the runtime type of
// t. If rt is a compiled type, mendPromotedOf changes nothing.
func mendPromotedOf(record *ixgo.TypesRecord, t types.Type, rt reflect.Type) {
	methods, _, _ := selectionsOf(record, t)
	pointers, values := methodTable(reflectx.PtrTo(rt)), methodTable(rt)
	if len(pointers) != len(methods) {
		return // a compiled type
	}
	// given holds the functions that the interpreter assigned.
	given := make([]int32, len(pointers))
	for i, e := range pointers {
		given[i] = e[direct]
	}
	if !reuse(methods, rt, given) {
		setUnshared(func() { setMethods(record, rt, redirected(methods, rt)) })
		mendWords()
		eachPromoted(methods, rt, func(i int, v *tableEntry, sel *types.Selection) {
			p := promotion{of: rt, pointer: pointers[i]}
			if v != nil {
				p.value = *v
			}
			promotions.add(given[i], p)
		})
	}
	mendWordsOf(rt)
	eachPromoted(methods, rt, func(i int, v *tableEntry, sel *types.Selection) {
		f := sel.Obj().(*types.Func)
		if token.IsExported(f.Name()) || !types.IsInterface(f.Signature().Recv().Type()) {
			return
		}
		pointers[i].setFunction(ofInterface(reflectx.MethodByIndex(reflectx.PtrTo(rt), i), sel.Index()))
		if v != nil {
			for j := range values {
				if v == &values[j] {
					v.setFunction(ofInterface(reflectx.MethodByIndex(rt, j), sel.Index()))
				}
			}
		}
	})
}

// eachPromoted calls fn for each promoted method of t. i is the method's index in the method table of *t, the pointer
// type. v is the method's entry in the table of t, or nil if t has no such entry.
func eachPromoted(methods []*types.Selection, t reflect.Type, fn func(i int, v *tableEntry, sel *types.Selection)) {
	values, n := methodTable(t), 0
	for i, sel := range methods {
		var v *tableEntry
		if !isPointerMethod(sel) {
			v = &values[n]
			n++
		}
		if len(sel.Index()) > 1 {
			fn(i, v, sel)
		}
	}
}

func isPointerMethod(sel *types.Selection) bool {
	_, ok := sel.Type().(*types.Signature).Recv().Type().Underlying().(*types.Pointer)
	return ok
}

// reuse lets the promoted methods of rt use functions that were made earlier for a type of the same layout. The
// functions in given are those that the interpreter assigned. ok is false if a suitable function is missing. The
// caller must then make new ones.
func reuse(methods []*types.Selection, rt reflect.Type, given []int32) (ok bool) {
	ok = true
	eachPromoted(methods, rt, func(i int, v *tableEntry, sel *types.Selection) {
		list := promotions.with(given[i])
		if len(list) == 0 {
			return // no function is shared
		}
		for _, p := range list {
			shared := p.pointer == tableEntry{}
			if !fits(p.of, rt, sel) || shared && isMisdirected(sel, rt) {
				continue
			}
			if !shared {
				methodTable(reflectx.PtrTo(rt))[i] = p.pointer
				if v != nil {
					*v = p.value
				}
			}
			return
		}
		ok = false
	})
	return ok
}

// isMisdirected reports whether the function that the interpreter makes for the promoted method sel of rt fails when it
// is called. If the method has a value receiver, and the path to the embedded value leads through a pointer, the
// function expects a pointer at the end of the path, even if a value is there instead.
func isMisdirected(sel *types.Selection, rt reflect.Type) bool {
	if !sel.Indirect() || isPointerMethod(sel) || types.IsInterface(sel.Obj().(*types.Func).Signature().Recv().Type()) {
		return false
	}
	path := sel.Index()
	for _, i := range path[:len(path)-1] {
		if rt.Kind() == reflect.Pointer {
			rt = rt.Elem()
		}
		rt = rt.Field(i).Type
	}
	return rt.Kind() != reflect.Pointer
}

// redirected returns the methods of rt, from which the interpreter makes functions. For a method for which isMisdirected
// is true, its function would be wrong. redirected therefore marks such a method as not reached through a pointer.
func redirected(methods []*types.Selection, rt reflect.Type) []*types.Selection {
	list := slices.Clone(methods)
	for i, sel := range list {
		if len(sel.Index()) > 1 && isMisdirected(sel, rt) {
			direct := *sel
			setField(unsafe.Pointer(&direct), layout.indirect, false)
			list[i] = &direct
		}
	}
	return list
}

// fits reports whether the type t can also use a function made for the method sel of from, another type.
func fits(from, t reflect.Type, sel *types.Selection) bool {
	if !isPointerMethod(sel) {
		return sameLayout(from, t) // the function copies the value
	}
	path := sel.Index()
	for _, i := range path[:len(path)-1] {
		if from.Kind() == reflect.Pointer && t.Kind() == reflect.Pointer {
			from, t = from.Elem(), t.Elem()
		}
		if from.Kind() != reflect.Struct || t.Kind() != reflect.Struct || i >= from.NumField() {
			return false
		}
		a, b := from.Field(i), t.Field(i)
		if a.Offset != b.Offset || a.Type.Kind() != b.Type.Kind() {
			return false
		}
		from, t = a.Type, b.Type
	}
	return true
}

// setUnshared empties the interpreter's table of shared functions and calls set(), which therefore makes new functions.
// Then setUnshared restores the previous entries.
func setUnshared(set func()) {
	before := map[any]any{}
	shared.Range(func(k, v any) bool { before[k] = v; return true })
	shared.Clear()
	set()
	for k, v := range before {
		shared.Store(k, v)
	}
}

// ofInterface returns a function that implements m, an unexported method promoted from an interface that is embedded at
// the given path. The returned function replaces the interpreter's function, which uses reflection and so cannot call
// an unexported method.
func ofInterface(m reflect.Method, path []int) reflect.Value {
	return reflect.MakeFunc(m.Type, func(args []reflect.Value) []reflect.Value {
		v := args[0]
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				panic(nilPointer)
			}
			v = v.Elem()
		}
		if v = reflectx.FieldByIndexX(v, path[:len(path)-1]); v.IsNil() {
			panic(nilPointer)
		}
		args[0] = v.Elem()
		f := tableMethod(args[0].Type(), m.Name)
		if m.Type.IsVariadic() {
			return f.CallSlice(args)
		}
		return f.Call(args)
	})
}
