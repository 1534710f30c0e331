//go:build !js || !livesimd

package wasmhost

import "unsafe"

// Compile makes the functions of a module ready to be called, by their names.
func Compile(code []byte) (map[string]Func, error) { return nil, ErrUnavailable }

// Call runs the function with the arguments at that address.
func (f Func) Call(args unsafe.Pointer) { panic(ErrUnavailable) }

// Release gives the functions of a module back; none of them may be called any more.
func Release(funcs map[string]Func) {}
