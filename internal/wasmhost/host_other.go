//go:build !js || !livesimd

package wasmhost

import "unsafe"

// Compile returns ErrUnavailable: this program cannot load modules.
func Compile(code []byte) (map[string]Func, error) { return nil, ErrUnavailable }

// Call panics: without Compile there are no functions to call.
func (f Func) Call(args unsafe.Pointer) { panic(ErrUnavailable) }

// Release does nothing: without Compile there are no functions to release.
func Release(funcs map[string]Func) {}
