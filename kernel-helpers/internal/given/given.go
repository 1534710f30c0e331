// Package given checks for nil arguments. A nil matrix, model or function is a mistake in the calling code, like a
// wrong shape. The panic should name the function and the argument; it should not come from a nil pointer deep inside.
package given

import (
	"fmt"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// Args panics if one of the given values is nil: a nil interface, or an interface with a nil pointer, function or map.
// Names and values alternate:
//
//	given.Args("icon: NewLinear", "X", X, "W", W)
//
// This call panics with "icon: NewLinear: W is nil" if W is nil.
func Args(where string, namesAndValues ...any) {
	for i := 0; i < len(namesAndValues); i += 2 {
		if Nil(namesAndValues[i+1]) {
			panic(fmt.Sprintf("%s: %v is nil", where, namesAndValues[i]))
		}
	}
}

// Nil reports whether v is nil, or holds a nil pointer, function or map.
func Nil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Chan:
		return r.IsNil()
	}
	return false
}

// Dense returns X as a dense matrix: a copy, or X itself if X is already dense. The caller must not change
// the result. Dense panics, as Args does, if X is nil.
func Dense(where, name string, X mat.Matrix) *mat.Dense {
	if Nil(X) {
		panic(fmt.Sprintf("%s: %s is nil", where, name))
	}
	return finite.AsDense(X)
}
