// Package native makes WebAssembly of hot loops of register code, and runs it: by wazero's compiler on
// Go's own heap, in a browser on the kernel's own memory.
//
// # How a loop becomes a module
//
//	operands.go  what an op reads and writes
//	region.go    the ops of the loop, in basic blocks
//	dominate.go  which blocks dominate which; loops within
//	class.go     whether a register of N becomes an i64, an f64 or an f32
//	live.go      which registers are read where the machine goes on
//	leave.go     where the module leaves, and which registers it then writes back
//	facts.go     which pointers and indices are known to be good where
//	hoist.go     loads that are done before a loop
//	emit.go      the module
//	flow.go      the blocks as structured WebAssembly
//	ways.go      branches to the exits
//	ops.go       the ops
//	access.go    those that load and store
//	pointers.go  pointers and the memory
//	callee.go    functions that only compute, as functions of the module
//
// What runs it:
//
//	target.go    where the module runs, as far as the emitter has to know
//	native.go    the Compiler of the machine
//	entry.go     how the machine enters and leaves a module
//	window.go    the memory of the modules: a window on Go's heap, and reserve_*.go
//	wazero.go    by wazero
//	browser.go   in the browser
//
// # Exits
//
// What a module cannot do it leaves to the machine: it writes back its registers and gives the index of
// the op, which the machine then does itself. So every op may leave for every reason, as long as it has
// changed nothing. A trap would lose the registers: code is emitted so that there is none.
//
// Registers that it has written are written back, except those of which it is known that nobody reads
// them there: a register that one op alone writes, not a move, has no reader that this op does not come
// before.
//
// # Pointers
//
// A module loads pointers and adds to them, but never stores one in Go's heap, as that needs the
// collector's write barrier. Pointers that it leaves with are numbers in the entry's buffer, from where
// Go code copies them to the registers at once. Until then the objects are kept by where the pointers
// were loaded from.
//
// Each pointer that is followed has been found to lie in the window, when it was loaded or at the latest
// when it is used. The index of an element is compared with the length, and objects do not straddle the
// end of the window. So all addresses are good.
package native
