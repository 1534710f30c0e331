// Package regcode is the form in which functions of cells run fast: register code, which package
// ixengine makes from SSA, which Machine runs, and from which package native makes WebAssembly of
// loops that are hot.
//
// # Registers
//
// A function has two files of registers: N for numbers, 64 bits each, and P for pointers, which the
// collector sees. A value of Go takes one or more of them, its leaves:
//
//	integer, bool      N: extended to 64 bits by its sign or by zeros
//	float64, float32   N: its bits (a float32's are the lower half)
//	complex            N N: the real and the imaginary part, as floats
//	pointer, map, chan, func, unsafe.Pointer   P
//	string             P N: data and length
//	slice              P N N: data, length and capacity
//	interface          P P: the word of the dynamic type and the data word, as in an any, also where
//	                   the interface has methods (and memory therefore has an itab)
//	struct, array      the leaves of its fields or elements, if these are few
//
// Each register always has leaves of one kind, so that what is in it is known without running.
// Constants and addresses of variables lie in registers of their own, which nothing writes.
//
// A register that one op alone writes, other than by a move, or one site or helper, is written before each
// of its readers on each way to them, as a value of SSA is; nothing else is kept of it where native code
// leaves. Parameters are written by moves alone, if at all.
//
// # What an op cannot do
//
// An op does its work or fails: an index out of range, a nil pointer, a division by zero, a slice
// without room. Then the machine runs the op's site (To): the host does the whole instruction in the
// interpreter, which panics at its own place or gives the results, and the machine goes on behind the
// op. So every op may fail for every reason, as long as it has changed nothing. OpDo is the op that
// always fails.
//
// # Loops
//
// OpLoop stands where a loop begins, behind its phis. The machine counts there, and gives a loop that is
// hot to a Compiler. What comes back runs on the registers from the op on, and says at which op the
// machine is to go on, with all registers as they would be there. Compiling costs nothing until a loop has run for a
// few tenths of a millisecond, and is then done beside the machine; native code that ends after a few turns each time
// rests (hot.go, gain.go).
//
// # The machine
//
// A Machine has the registers of all calls of one goroutine, one behind the other in chunks that never move
// (chunk.go). It runs a copy of the ops, in which jumps are distances and one opcode does several ops that often stand
// behind each other; each op stays in its place, since sites, jumps and native code may go on at any of them (program.go,
// fuse.go). Two loops share the work: steps does what needs no call of Go, which keeps everything in the processor's
// registers, and comes back to Run for all else, also for each op that fails. Package gen writes steps, from what each op
// does and the list of sequences.
//
// The machine checks nothing but what ops say that they check: code is trusted, and Verify is for tests.
package regcode
