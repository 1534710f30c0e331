// Package native compiles hot loops of register code to WebAssembly, and runs it: with wazero's compiler on
// Go's own heap, in a browser on the kernel's own memory.
//
// # How a loop becomes a module
//
//	operands.go  what an op reads and writes
//	region.go    the ops of the loop, in basic blocks
//	dominate.go  which blocks dominate which; inner loops
//	class.go     whether a register of N becomes an i64, an f64 or an f32
//	live.go      which registers are read where the machine continues
//	leave.go     where the module leaves, and which registers it then writes back
//	facts.go     where pointers and indices are known to be good
//	hoist.go     loads that are executed before a loop
//	emit.go      the module
//	flow.go      the blocks as structured WebAssembly
//	branches.go  branches to the exits
//	ops.go       the ops
//	access.go    those that load and store
//	pointers.go  pointers and the memory
//	callee.go    functions that only compute, as functions of the module
//
// How it runs:
//
//	target.go    where the module runs: what the emitter must know about it
//	native.go    the Compiler of the machine
//	entry.go     how the machine enters and leaves a module
//	window.go    the memory of the modules: a window on Go's heap, and reserve_*.go
//	wazero.go    with wazero
//	browser.go   in the browser
//
// # Exits
//
// What a module cannot do it leaves to the machine: it writes back its registers and returns the index of
// the op, which the machine then executes. So every op may leave for any reason, as long as it has
// changed nothing. A trap would lose the registers: the emitted code has none.
//
// Written registers are written back, except those known not to be read there: if a single op that is not a
// move writes a register, the op precedes all of the register's readers.
//
// # Pointers
//
// A module loads pointers and adds to them, but never stores one in Go's heap, because that needs the
// collector's write barrier. Pointers that it leaves with are numbers in the entry's buffer, from which
// Go code copies them to the registers at once. Until then the memory that the pointers were loaded from
// keeps the objects alive.
//
// Each pointer that is followed has been checked to lie in the window, when it was loaded or at the latest
// when it is used. The index of an element is compared with the length, and objects do not straddle the
// end of the window. So all addresses are good.
package native
