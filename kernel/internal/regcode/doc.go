// Package regcode defines register code, the form in which functions of cells run fast. Package ixengine compiles SSA
// to it, a Machine runs it, and package native compiles its hot loops to WebAssembly. The program that uses a Machine,
// its Host, has an interpreter for everything that register code cannot do.
//
// # Registers
//
// A function has two register files: N for 64-bit numbers, and P for pointers, which the garbage collector scans. A Go
// value is split into parts that occupy one register each, its leaves:
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
// Each register always holds leaves of one kind, so its type is known statically. Constants and addresses of variables
// are in registers of their own, which are never written.
//
// If a register has only one writer, and the writer is not a move, that write precedes every read of the register on
// every path, as in SSA. When native code exits at a point where this write has not been executed, the register
// may hold any value. Parameters are written only by moves, if at all.
//
// # Ops that fail
//
// An op succeeds or fails. It fails, for example, because an index is out of range, a pointer is nil, a divisor is
// zero, or a slice has no room. An op that can fail has a site, an instruction that the interpreter can execute; the
// site's number is in the field To. If the op fails, the machine calls the Host, which executes the whole instruction
// in the interpreter. Either the interpreter panics, at the right position, or it returns the results and the machine
// continues after the op. So every such op may fail for any reason, as long as it has changed nothing. OpDo is the op
// that always fails.
//
// # Loops
//
// OpLoop is at the beginning of a loop, after its phis. The machine counts iterations there, and passes a hot loop to
// a Compiler. The native code starts at that op and uses the machine's registers. It returns the op at which the
// machine continues; all registers then have the values that the machine expects there. A loop that runs for less than
// a few tenths of a millisecond is not compiled; longer loops are compiled in the background. Native code that always
// ends after a few iterations is set aside for a while (hot.go).
//
// # The machine
//
// A Machine holds the registers of all calls of one goroutine, one after the other, in chunks that never move
// (machine.go). It runs a copy of the ops, in which jumps are distances and one opcode may execute several ops that
// often follow each other. Each op stays in its place, because after a jump, a site or an exit of native code,
// execution may continue at any op (program.go, fuse.go). Two functions share the work: the function steps executes ops
// that need no Go call, so that Go's compiler keeps all values in processor registers; Run handles everything else,
// including each op that fails. Package gen generates the function steps from the definitions of the ops and the list
// of sequences.
//
// The machine makes only the checks that belong to the ops, such as index checks. It trusts the code, and only
// tests call Verify.
package regcode
