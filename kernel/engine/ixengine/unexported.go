package ixengine

import (
	"fmt"
	"go/types"
	"io"
	"reflect"
	"unsafe"

	"github.com/goplus/ixgo"
)

// Four things that the interpreter keeps to itself are needed here. Its version
// is fixed in go.mod, and New fails with a clear message when they are not
// where they were.

// setGoroutinePanics makes panics of the goroutines that i's program starts
// arrive on ch. ixgo sends them on a channel that only its own RunInterp makes;
// without one they would end the process.
func setGoroutinePanics(i *ixgo.Interp, ch chan ixgo.PanicError) error {
	f := reflect.ValueOf(i).Elem().FieldByName("cherror")
	if !f.IsValid() || f.Type() != reflect.TypeOf(ch) {
		return fmt.Errorf("ixengine: this ixgo has no Interp.cherror of type %T", ch)
	}
	*(*chan ixgo.PanicError)(unsafe.Pointer(f.UnsafeAddr())) = ch
	return nil
}

// nestedTypes is the interpreter's numbering of the types that functions
// declare, which keeps those of different instances of a generic function
// apart. ixgo fills it when it type-checks; here the session does that.
func nestedTypes(ctx *ixgo.Context) (map[*types.Named]int, error) {
	f := reflect.ValueOf(ctx).Elem().FieldByName("nestedMap")
	want := reflect.TypeFor[map[*types.Named]int]()
	if !f.IsValid() || f.Type() != want {
		return nil, fmt.Errorf("ixengine: this ixgo has no Context.nestedMap of type %v", want)
	}
	return *(*map[*types.Named]int)(unsafe.Pointer(f.UnsafeAddr())), nil
}

// setPrintOutput makes the builtins print and println write to w. ixgo lets
// one set a *bytes.Buffer only.
func setPrintOutput(ctx *ixgo.Context, w io.Writer) error {
	f := reflect.ValueOf(ctx).Elem().FieldByName("output")
	if !f.IsValid() || f.Type() != reflect.TypeFor[io.Writer]() {
		return fmt.Errorf("ixengine: this ixgo has no Context.output of type io.Writer")
	}
	*(*io.Writer)(unsafe.Pointer(f.UnsafeAddr())) = w
	return nil
}

// overrideMap is the interpreter's table of functions and variables that
// replace those of programs. Goroutines of earlier cells read it while they run (a
// deferred call of a compiled function looks there), without a lock, so that it must
// never be written to: setOverrides puts another map in its place.
func overrideMap(ctx *ixgo.Context) (*map[string]reflect.Value, error) {
	f := reflect.ValueOf(ctx).Elem().FieldByName("override")
	want := reflect.TypeFor[map[string]reflect.Value]()
	if !f.IsValid() || f.Type() != want {
		return nil, fmt.Errorf("ixengine: this ixgo has no Context.override of type %v", want)
	}
	return (*map[string]reflect.Value)(unsafe.Pointer(f.UnsafeAddr())), nil
}
