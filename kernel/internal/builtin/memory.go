package builtin

import "reflect"

// memory returns the size in bytes of a value and of everything to which it refers. Memory that several pointers refer
// to counts once. If there are very many values to visit, memory stops early, and the result all is false.
func memory(v reflect.Value) (bytes uint64, all bool) {
	const enough = 200_000
	type place struct {
		p uintptr
		t reflect.Type
	}
	seen := map[place]bool{}
	steps := 0
	flat := map[reflect.Type]bool{}
	var isFlat func(t reflect.Type) bool // reports whether t refers to no memory outside of itself
	isFlat = func(t reflect.Type) bool {
		if f, ok := flat[t]; ok {
			return f
		}
		f := false
		switch t.Kind() {
		case reflect.Array:
			f = isFlat(t.Elem())
		case reflect.Struct:
			f = true
			for i := range t.NumField() {
				f = f && isFlat(t.Field(i).Type)
			}
		case reflect.Pointer, reflect.Slice, reflect.String, reflect.Map, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		default:
			f = true
		}
		flat[t] = f
		return f
	}
	// held returns the size of what v holds in addition to its own v.Type().Size() bytes.
	var held func(v reflect.Value) uint64
	held = func(v reflect.Value) uint64 {
		if steps++; steps > enough || isFlat(v.Type()) {
			return 0
		}
		first := func() bool {
			p := place{v.Pointer(), v.Type()}
			again := seen[p]
			seen[p] = true
			return !again
		}
		var n uint64
		switch v.Kind() {
		case reflect.String:
			return uint64(v.Len())
		case reflect.Pointer:
			if v.IsNil() || !first() {
				return 0
			}
			return uint64(v.Type().Elem().Size()) + held(v.Elem())
		case reflect.Interface:
			if v.IsNil() {
				return 0
			}
			e := v.Elem()
			n = held(e)
			if e.Kind() != reflect.Pointer {
				n += uint64(e.Type().Size())
			}
			return n
		case reflect.Slice:
			if v.IsNil() || v.Cap() > 0 && !first() {
				return 0
			}
			n = uint64(v.Cap()) * uint64(v.Type().Elem().Size())
			if isFlat(v.Type().Elem()) {
				return n
			}
			for i := 0; i < v.Len() && steps <= enough; i++ {
				n += held(v.Index(i))
			}
		case reflect.Array:
			for i := 0; i < v.Len() && steps <= enough; i++ {
				n += held(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				n += held(v.Field(i))
			}
		case reflect.Map:
			if v.IsNil() || !first() {
				return 0
			}
			k, e := v.Type().Key(), v.Type().Elem()
			// A map has one control byte per slot, and uses at most 7 of 8 slots.
			n = uint64(v.Len()) * uint64(k.Size()+e.Size()+1) * 8 / 7
			if isFlat(k) && isFlat(e) {
				return n
			}
			for it := v.MapRange(); steps <= enough && it.Next(); {
				n += held(it.Key()) + held(it.Value())
			}
		}
		return n
	}
	n := uint64(v.Type().Size()) + held(v)
	return n, steps <= enough
}
