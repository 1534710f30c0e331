// Package neongen writes Go assembly for arm64 with 128-bit vectors (NEON), as avo and package avogen do for amd64.
// Only the gen programs, which write the library's assembly, import it.
//
//	file := neongen.New("vector")
//	f := file.Func("double", "func(n int, x *float64)", "doubles n numbers, n even and > 0.")
//	n, x, v := f.Arg("n"), f.Arg("x"), f.V()
//	f.Label("pair")
//	f.Load(16, v, neongen.At(x, 0))
//	f.FAdd(neongen.D2, v, v, v)
//	f.Store(16, v, neongen.At(x, 0))
//	f.AddN(x, x, 16)
//	f.SubsN(n, n, 2)
//	f.Br("NE", "pair")
//	f.Ret()
//	text, stubs, err := file.Write()
//
// # Files, in reading order
//
//	file.go       files, constants, functions and their arguments; the text of a file
//	general.go    instructions on general registers
//	memory.go     loads and stores of vectors
//	vector.go     instructions on vectors
//	strip.go      loops over arrays of any length
//	registers.go  register allocation
//
// # Machine code
//
// Go's assembler (1.26) supports few vector instructions. So this package writes all vector instructions as machine
// code. The first time that an instruction occurs in a function, its disassembly follows in a comment:
//
//	WORD $0x4e61d400 // fadd v0.2d, v0.2d, v1.2d
//
// TestDisassembly disassembles the machine code in all files of the library with binutils, and compares the result
// with the comments. Instructions on general registers are written in Go's assembly, so Go's assembler and go vet
// check branches, arguments and addresses.
//
// # Registers
//
// An [X] is a virtual general register, and a [V] a virtual vector register. A function may use any number of virtual
// registers. Physical registers are allocated when the function is finished. A register is live from its first use to
// its last; if this range extends into a loop, the register is live for the whole loop. Nothing is spilled to the
// stack; if too many registers are live at the same time, File.Write returns an error. Two groups of registers are
// never allocated. The linker and Darwin use R16 to R18. R27 to R31 are reserved for the assembler, the goroutine
// pointer, the frame pointer, the link register and the stack pointer.
//
// Operands are in the order of the processor's manual: the result comes first.
package neongen
