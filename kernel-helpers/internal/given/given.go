// Package given refuses arguments that are not there. A nil matrix, model or function is a
// mistake in the caller's program, as a wrong shape is, and should be told with the name of
// the function and of the argument, not as a nil pointer somewhere below.
package given

import (
	"fmt"
	"reflect"
)

// Args panics if an argument is nil, be it a nil interface or a nil pointer, function or map
// inside of one. It is given names and values by turns:
//
//	given.Args("icon: NewLinear", "X", X, "W", W)
//
// panics with "icon: NewLinear: W is nil" if W is.
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
