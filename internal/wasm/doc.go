// Package wasm writes WebAssembly modules with 128-bit vector instructions. A module has its own memory, or
// uses the memory of a running Go program (package wasmhost runs such modules).
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
//	shape.go   instructions as methods of the type that they work on
//	func.go    statements: set, store, blocks, branches
//	module.go  imports, functions, tables, memory, exports; Encode
//
// # Values and statements
//
// A [Value] is an expression. It has no effect until a statement of a [Func] uses it, and it is computed each
// time that a statement uses it. A value that is used twice, or that must not change with a later Set,
// belongs in a local ([Func.Let]). Statements run in the order of the calls. Blocks, loops and ifs take their
// body as a function, so none can be left open. Blocks do not return values; use a local instead.
//
// # Mistakes
//
// Types are checked as the code is built. The first mistakes are kept and [Module.Encode] returns
// them, each with the function, the instruction and the line of Go that requested it:
//
//	function exp64: f64x2.add: operand 2 is an i32, not a v128 (vmath.go:45)
//
// A module that Encode returns is valid: engines accept it. (Two things are only checked at run time, by the
// engine: whether addresses are inside the memory, and the signatures of functions in a table.)
//
// The package supports what the modules of this project need. From WebAssembly 1.0, this is arithmetic, conversions,
// memory, calls and branches. From 2.0, it is vectors, sign extensions, saturating conversions and copies within
// memory. Among other parts, the package does not support globals, branch tables, data segments, threads, exceptions,
// instructions that replace a lane, or tables that the module itself fills.
package wasm
