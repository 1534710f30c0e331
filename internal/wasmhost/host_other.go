//go:build !js || !livesimd

package wasmhost

import "unsafe"

// Compile compiles a module and returns its functions by name.
func Compile(code []byte) (map[string]Func, error) { return nil, ErrUnavailable }

// Call runs the function with the arguments at address args.
func (f Func) Call(args unsafe.Pointer) { panic(ErrUnavailable) }

// Release releases the functions of a module. They must not be called afterwards.
func Release(funcs map[string]Func) {}
