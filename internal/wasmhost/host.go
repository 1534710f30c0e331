// Package wasmhost runs further WebAssembly modules on the memory of this program, which is itself
// a WebAssembly module: GOOS=js GOARCH=wasm with the build tag livesimd, where the page has made
// the imports of simd.js (kernel/live/assets). Package wasm writes these modules.
//
//	fs, err := wasmhost.Compile(code)
//	args := struct{ x, n int }{...}
//	fs["scale"].Call(unsafe.Pointer(&args))
//
// A module imports the memory as env.mem. Each function that it exports takes one i32, the address
// of its arguments in memory, and has no result: it writes results to the same place. Go's pointers
// and ints have 64 bits there, of which the low 32 matter. While a function runs nothing else does,
// neither goroutines nor the collector, so plain pointers are safe, but a long computation must
// return by itself. A trap in it (an address outside of the memory, a division by 0) ends the
// program.
//
// On other platforms, and if the engine does not support the instructions of the module, Compile
// returns ErrUnavailable.
package wasmhost

import "errors"

// ErrUnavailable is the error of Compile in programs that cannot have a second module.
var ErrUnavailable = errors.New("wasmhost: this program is not WebAssembly, or was built without the tag livesimd")

// A Func is a function of a module.
type Func int32
