// Package cycle finds maps and slices that contain themselves. Package fmt follows such a value until the
// stack is full, which ends the process:
//
//	m := map[string]any{}
//	m["self"] = m
//	fmt.Println(m)
package cycle

import (
	"fmt"
	"reflect"
	"sync"
)

// In reports whether package fmt would never finish printing v. Like fmt, In follows a pointer only if v itself is a
// pointer. It does not look inside values that have methods to format themselves.
func In(v any) bool {
	if v == nil {
		return false
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer {
		if shows(r.Type()) || r.IsNil() {
			return false
		}
		r = r.Elem()
		if r.Kind() == reflect.Interface {
			return false
		}
	}
	return possible(r.Type()) && (&walk{}).find(r)
}

// A walk is a traversal of a value.
type walk struct {
	// seen has an entry for each map and slice that has been visited. The entry is true while the walk is inside the
	// map or slice, and afterwards if a cycle was found there.
	seen map[place]bool
}

// A place identifies a map or slice by the location of its elements.
type place struct {
	p   uintptr
	len int
}

func (w *walk) find(v reflect.Value) bool {
	if !possible(v.Type()) {
		return false
	}
	switch v.Kind() {
	case reflect.Interface:
		return !v.IsNil() && v.Elem().Kind() != reflect.Pointer && w.find(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if w.find(v.Field(i)) {
				return true
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			if w.find(v.Index(i)) {
				return true
			}
		}
	case reflect.Slice:
		return w.inside(v, func() bool {
			for i := range v.Len() {
				if w.find(v.Index(i)) {
					return true
				}
			}
			return false
		})
	case reflect.Map:
		return w.inside(v, func() bool {
			for it := v.MapRange(); it.Next(); {
				if w.find(it.Key()) || w.find(it.Value()) {
					return true
				}
			}
			return false
		})
	}
	return false
}

// inside reports whether the map or slice v leads to a cycle. A call to look() examines the elements of v; it is made
// only the first time for each v, and its result is remembered. If inside(v, look) is called while look() is running
// for the same v, the result is true, because v then contains itself.
func (w *walk) inside(v reflect.Value, look func() bool) bool {
	if v.Len() == 0 {
		return false
	}
	at := place{v.Pointer(), v.Len()}
	if around, known := w.seen[at]; known {
		return around
	}
	if w.seen == nil {
		w.seen = map[place]bool{}
	}
	w.seen[at] = true
	found := look()
	w.seen[at] = found
	return found
}

// known caches the results of possible.
var known sync.Map // reflect.Type -> bool

// possible reports whether values of type t can contain themselves, because
// they contain interfaces, or maps or slices of their own type.
func possible(t reflect.Type) bool {
	if p, ok := known.Load(t); ok {
		return p.(bool)
	}
	p := recursive(t, map[reflect.Type]bool{})
	known.Store(t, p)
	return p
}

func recursive(t reflect.Type, around map[reflect.Type]bool) bool {
	if around[t] {
		return true
	}
	if t.Kind() != reflect.Interface && shows(t) {
		return false
	}
	around[t] = true
	defer delete(around, t)
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Slice, reflect.Array:
		return recursive(t.Elem(), around)
	case reflect.Map:
		return recursive(t.Key(), around) || recursive(t.Elem(), around)
	case reflect.Struct:
		for i := range t.NumField() {
			if recursive(t.Field(i).Type, around) {
				return true
			}
		}
	}
	return false
}

var (
	formatter = reflect.TypeFor[fmt.Formatter]()
	stringer  = reflect.TypeFor[fmt.Stringer]()
	errorType = reflect.TypeFor[error]()
)

// shows reports whether fmt formats values of type t with a method.
func shows(t reflect.Type) bool {
	return t.Implements(formatter) || t.Implements(stringer) || t.Implements(errorType)
}
