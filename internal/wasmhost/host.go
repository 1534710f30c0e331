// Package wasmhost runs additional WebAssembly modules on the memory of this program, which is itself a
// WebAssembly module. This requires GOOS=js GOARCH=wasm, the build tag livesimd, and a page that provides the
// imports in simd.js (kernel/live/assets). Package wasm writes these modules.
//
//	fs, err := wasmhost.Compile(code)
//	args := struct{ x, n int }{...}
//	fs["scale"].Call(unsafe.Pointer(&args))
//
// A module imports the memory as env.mem. Each exported function takes one i32, the address of its arguments
// in memory, and has no result; it writes results to the same address. Go's pointers and ints in the
// arguments have 64 bits, of which only the low 32 matter. While a function runs, no goroutine and no garbage
// collection runs. So plain pointers are safe, but nothing can interrupt a long computation. A trap in a
// function (an address outside the memory, a division by 0) ends the program.
//
// On other platforms, and if the engine does not support the instructions of the module, Compile
// returns ErrUnavailable.
package wasmhost

import "errors"

// ErrUnavailable is the error of Compile in programs that cannot load a second module.
var ErrUnavailable = errors.New("wasmhost: this program is not WebAssembly, or was built without the tag livesimd")

// A Func is an exported function of a module that Compile has loaded.
type Func int32
