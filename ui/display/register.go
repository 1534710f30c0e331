package display

import (
	"fmt"
	"reflect"
	"sync"
)

var registered sync.Map // reflect.Type -> func(any) Data

// Register makes render the function that displays values of the type of example, for
// types that have no display method of their own. A pointer and what it points to are
// different types. A package that draws the results of another package, as
// attention/attentionplot does, calls Register in init. The results are then drawn in every
// program that links it, while the other package need not link drawing. A type can be
// registered once.
//
//	func init() {
//		display.Register((*attention.Output)(nil), func(v any) display.Data {
//			return Weights(v.(*attention.Output), nil).Render()
//		})
//	}
func Register(example any, render func(v any) Data) {
	t := reflect.TypeOf(example)
	if t == nil || render == nil {
		panic("display: Register: neither the example nor the function may be nil")
	}
	if _, loaded := registered.LoadOrStore(t, render); loaded {
		panic(fmt.Sprintf("display: Register: %v is registered already", t))
	}
}

// Registered renders v with the function registered for its type, and reports whether there
// is one.
func Registered(v any) (Data, bool) {
	render, ok := registered.Load(reflect.TypeOf(v))
	if !ok {
		return Data{}, false
	}
	return render.(func(any) Data)(v), true
}
