// Package wasm writes WebAssembly modules: functions with 128 bit vectors, for a memory of
// their own or for that of a running Go program (package wasmhost runs them there).
//
//	m := wasm.New()
//	m.ImportMemory("env", "mem", 1)
//	f := m.Func("scale", []wasm.Type{wasm.I32, wasm.I32, wasm.F64}, nil)
//	x, n, by := f.Param(0), f.Param(1), f.Param(2)
//	i := f.Local(wasm.I32)
//	f.For(i, wasm.Int(0), n, 1, func() {
//		at := f.Let(wasm.I32.Add(x, wasm.I32.Shl(i, wasm.Int(3))))
//		f.Store(wasm.F64, at, 0, wasm.F64.Mul(by, wasm.F64.Load(at, 0)))
//	})
//	f.Export("scale")
//	code, err := m.Encode()
//
// # Files, in reading order
//
//	types.go   types of values, and the shapes of vectors
//	value.go   expressions: constants, locals, loads, calls
//	ops.go     instructions by their names
//	shape.go   the same as methods of the type that they work on
//	func.go    statements: set, store, blocks, branches
//	module.go  imports, functions, tables, memory, exports; Encode
//
// # Values and statements
//
// A [Value] is an expression. It has no effect until a statement of a [Func] takes it, and it
// is computed there, each time that a statement takes it: what is used twice, or must be
// what it was before a later Set, belongs in a local ([Func.Let]). Statements follow one
// another in the order of the calls. Blocks, loops and ifs take their body as a function,
// so that nothing can be left open, and they leave no value: a local carries it.
//
// # Mistakes
//
// Types are checked as the code is built. The first mistakes are kept and [Module.Encode]
// gives them all, each with the function, the instruction and the line of Go that asked for
// it:
//
//	function exp64: f64x2.add: operand 2 is an i32, not a v128 (vmath.go:45)
//
// A module that Encode gives is valid: engines accept it. (What is not checked is what no
// engine checks before it runs: that addresses lie in the memory, and the signatures of what
// a table holds.)
//
// All of WebAssembly 1.0 is here that a program needs, with the vectors, the sign extensions,
// the saturating conversions and the bulk copies of 2.0. There are no reference types beyond
// one table of functions, and no threads, exceptions or relaxed vectors.
package wasm
