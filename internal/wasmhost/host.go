// Package wasmhost runs further WebAssembly modules on the memory of this program, which is
// one itself: GOOS=js GOARCH=wasm with the build tag livesimd, where the page has made the
// imports of simd.js (kernel/live/assets). Package wasm writes such modules.
//
//	fs, err := wasmhost.Compile(code)
//	args := struct{ x, n int }{...}
//	fs["scale"].Call(unsafe.Pointer(&args))
//
// A module imports the memory as env.mem. Each function that it exports takes one i32, the
// address of its arguments in memory, and gives nothing: results go to the same place. Go's
// pointers and ints have 64 bits there, of which the low 32 matter. While a function runs
// nothing else does, neither goroutines nor the collector, so that plain pointers are good;
// one that runs long must come back by itself. A trap in it (an address outside of the
// memory, a division by 0) ends the program.
//
// Everywhere else Compile gives ErrUnavailable, and so it does where the engine does not know
// the instructions of the module.
package wasmhost

import "errors"

// ErrUnavailable is why Compile refuses in programs that cannot have a second module.
var ErrUnavailable = errors.New("wasmhost: this program is not WebAssembly, or was built without the tag livesimd")

// A Func is a function of a module.
type Func int32
