// Package native compiles hot loops of register code to WebAssembly, and runs the WebAssembly. On most systems
// wazero's compiler runs it, on Go's heap; in a browser, the browser runs it on the kernel's memory.
//
// # How a loop becomes a module
//
//	inline.go    calls in the loop, replaced by the ops of the functions
//	operands.go  what an op reads and writes; registers that a function reads before it sets them
//	region.go    the ops of the loop, in basic blocks; dominators of blocks; inner loops
//	class.go     whether a register of N becomes an i64, an f64 or an f32
//	exits.go     the exits, the registers that the module writes back at each exit, and the branches to the exits
//	facts.go     where pointers and indices are known to be valid
//	hoist.go     loads that are executed before a loop
//	recent.go    what the ops of a block have done already
//	emit.go      the module
//	flow.go      the blocks as structured WebAssembly
//	ops.go       the ops
//	access.go    ops that load and store; pointers and the memory
//	callee.go    calls that are not inlined: functions that only compute become functions of the module
//
// How it runs:
//
//	target.go    the target: properties of the engine and memory that the emitter needs
//	native.go    the Compiler of the machine
//	entry.go     how the machine enters and leaves a module
//	window.go    the memory of the modules: a window on Go's heap; see also reserve_*.go
//	wazero.go    the engine wazero
//	browser.go   the engine of the browser
//
// # Exits
//
// A module keeps the registers in local variables. If it cannot execute an op, it writes the registers back and
// returns the index of the op, which the machine then executes. So the module may exit at any op for any reason, as
// long as the op has changed nothing. A WebAssembly trap would lose the registers, so the emitted code never traps.
//
// A module writes back the registers that it has set. If a register is written by only one op, and that op is not a
// move, then the op precedes all of the register's readers. So the register is written back only at exits that come
// after the op.
//
// If the module exits at an op of an inlined call, it writes the registers of the inlined calls to its argument block,
// the entry. The machine begins the calls that have not returned, sets their registers from the entry, and continues
// in the innermost call.
//
// # Pointers
//
// A module loads pointers and adds to them, but never stores one in Go's heap, because a store needs the garbage
// collector's write barrier. If the heap holds the same pointer already, as in x.list = x.list[:n], there is nothing to
// store; otherwise the module exits. When a module exits, it writes pointers as numbers to the entry, and Go code copies them
// to the registers at once. Until then, the memory from which the pointers were loaded keeps the objects alive.
//
// Before a pointer is dereferenced, a check ensures that it is in the window, the part of the process's memory that
// modules can access. The check is made when the pointer is loaded or when it is used. The index of an element is
// compared with the length, and objects do not straddle the end of the window. So all addresses are valid.
package native
