package snapshot

import (
	"reflect"
	"strings"
	"sync"

	"github.com/goplus/reflectx"

	"overcomplete/kernel/bind"
)

// basic maps names to the types that belong to no package.
var basic = map[string]reflect.Type{}

func init() {
	for _, t := range []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](),
		reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](),
		reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](), reflect.TypeFor[float32](), reflect.TypeFor[float64](),
		reflect.TypeFor[complex64](), reflect.TypeFor[complex128](), reflect.TypeFor[any](),
	} {
		basic[t.Kind().String()] = t
	}
}

// nameOf returns a name for t by which typeNamed can find t again. It returns "" if t has no such name, for example
// if a cell declares t. Basic types, types of the program's packages, and pointers, slices and maps of these have
// names.
func nameOf(t reflect.Type) string {
	var name string
	switch {
	case t.PkgPath() != "":
		name = t.PkgPath() + "." + t.Name()
	case t.Name() != "" || t == reflect.TypeFor[any]():
		name = t.Kind().String()
	default:
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			if elem := nameOf(t.Elem()); elem != "" {
				name = map[reflect.Kind]string{reflect.Pointer: "*", reflect.Slice: "[]"}[t.Kind()] + elem
			}
		case reflect.Map:
			if key, elem := nameOf(t.Key()), nameOf(t.Elem()); key != "" && elem != "" {
				name = "map[" + key + "]" + elem
			}
		}
	}
	if typeNamed(name) != t {
		return ""
	}
	return name
}

// typeNamed returns the type with the given name, or nil if there is none.
func typeNamed(name string) reflect.Type {
	if rest, ok := strings.CutPrefix(name, "*"); ok {
		if t := typeNamed(rest); t != nil {
			return reflect.PointerTo(t)
		}
		return nil
	}
	if rest, ok := strings.CutPrefix(name, "[]"); ok {
		if t := typeNamed(rest); t != nil {
			return reflect.SliceOf(t)
		}
		return nil
	}
	if rest, ok := strings.CutPrefix(name, "map["); ok {
		key, elem, _ := strings.Cut(rest, "]")
		if k, t := typeNamed(key), typeNamed(elem); k != nil && t != nil && k.Comparable() {
			return reflect.MapOf(k, t)
		}
		return nil
	}
	if t := basic[name]; t != nil {
		return t
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return nil
	}
	if t := bind.TypeNamed(name[:dot], name[dot+1:]); t != nil {
		return t
	}
	return linked()[name]
}

// linked maps names to the named types of the program's packages. These include unexported types whose values
// are in interfaces. If several types have the same name, because different functions declare them, the name
// maps to nil.
var linked = sync.OnceValue(func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, p := range reflectx.TypeLinks() {
		if p.Kind() != reflect.Pointer || p.Elem().PkgPath() == "" {
			continue
		}
		t := p.Elem()
		name := t.PkgPath() + "." + t.Name()
		if old, ok := types[name]; ok && old != t {
			t = nil
		}
		types[name] = t
	}
	return types
})
