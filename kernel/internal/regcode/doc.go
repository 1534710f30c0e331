// Package regcode defines register code, the form in which functions of cells run fast. Package ixengine
// compiles SSA to it, a Machine runs it, and package native compiles its hot loops to WebAssembly.
//
// # Registers
//
// A function has two register files: N for 64-bit numbers, and P for pointers, which the garbage collector
// scans. A Go value occupies one or more registers, its leaves:
//
//	integer, bool      N: sign- or zero-extended to 64 bits
//	float64, float32   N: its bits (a float32's are the lower half)
//	complex            N N: the real and the imaginary part, as floats
//	pointer, map, chan, func, unsafe.Pointer   P
//	string             P N: data and length
//	slice              P N N: data, length and capacity
//	interface          P P: the type word and the data word, as in an any, even if the interface
//	                   has methods (and so has an itab in memory)
//	struct, array      the leaves of its fields or elements, if there are few
//
// Each register always holds leaves of one kind, so its type is known statically. Constants and addresses of
// variables are in registers of their own, which are never written.
//
// If a register has only one writer, and the writer is a site, a helper, or an op other than a move, that
// write precedes every read of the register on every path, as in SSA. When native code exits, nothing else
// about such a register is guaranteed. Parameters are written only by moves, if at all.
//
// # Ops that fail
//
// An op succeeds or fails. It fails for example because an index is out of range, a pointer is nil, a divisor
// is zero, or a slice has no room. If an op fails, the machine runs the op's site, which the field To names.
// The host then executes the whole instruction in the interpreter. Either the interpreter panics, at the right
// position, or it returns the results and the machine continues after the op. So every op may fail for any
// reason, as long as it has changed nothing. OpDo is the op that always fails.
//
// # Loops
//
// OpLoop is at the beginning of a loop, after its phis. The machine counts iterations there, and passes a hot
// loop to a Compiler. The native code starts at that op and uses the machine's registers. It returns the op
// at which the machine continues; all registers then have the values that the machine expects there. A loop
// that runs for less than a few tenths of a millisecond is not compiled; longer loops are compiled in the
// background. Native code that always ends after a few iterations is set aside for a while (hot.go, gain.go).
//
// # The machine
//
// A Machine holds the registers of all calls of one goroutine, one after the other, in chunks that never move
// (chunk.go). It runs a copy of the ops, in which jumps are distances and one opcode may execute several ops
// that often follow each other; each op stays in its place, because sites, jumps and native code may continue
// at any of them (program.go, fuse.go). Two functions share the work: steps executes ops that need no Go
// call, so that the compiler keeps all values in processor registers; Run handles everything else, including
// each op that fails. Package gen generates steps from the definitions of the ops and the list of sequences.
//
// The machine checks only what the definitions of the ops require: it trusts the code, and only tests call
// Verify.
package regcode
