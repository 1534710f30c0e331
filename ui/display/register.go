package display

import (
	"fmt"
	"reflect"
	"sync"
)

var registered sync.Map // reflect.Type -> func(any) Data

// Register defines how values of example's type are displayed: by calling render. It is for types without a display
// method. A pointer type and its element type are registered separately. A type can be registered only once.
//
// For example, package attention/attentionplot draws the results of package attention. It calls Register in init, so
// each program that imports attentionplot draws these results. A program that imports only attention does not contain
// the code for drawing.
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
		panic(fmt.Sprintf("display: Register: %v is already registered", t))
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
