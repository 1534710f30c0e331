package display

import (
	"fmt"
	"reflect"
	"sync"
)

var registered sync.Map // reflect.Type -> func(any) Data

// Register makes render the way in which values of the type of example are shown, for
// types that have no method of their own for it. A pointer and what it points to are
// two types. It is how a package that draws the results of another, as
// attention/attentionplot does, has them drawn wherever it is linked, so that the other
// need not link drawing; call it in init. A type can be registered once.
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

// Registered renders v as Register says for its type, and reports whether it does.
func Registered(v any) (Data, bool) {
	render, ok := registered.Load(reflect.TypeOf(v))
	if !ok {
		return Data{}, false
	}
	return render.(func(any) Data)(v), true
}
