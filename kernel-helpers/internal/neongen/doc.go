// Package neongen writes Go assembly for arm64 with its vectors of 128 bits (NEON): what avo
// and package avogen are for amd64, for the programs that write the assembly of packages
// here. Only these programs, the gen of each package, import it.
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
//	file.go       files, constants, functions and their arguments
//	general.go    instructions on general registers
//	memory.go     loads and stores of vectors
//	vector.go     instructions on vectors
//	strip.go      loops over arrays of any length
//	registers.go  which register a value is in
//	print.go      the text
//
// # Words
//
// Go's assembler (1.26) knows few of the instructions on vectors. All of them are therefore
// written as the number that the processor reads, with what a disassembler says of it behind:
//
//	WORD $0x4e61d400 // fadd v0.2d, v0.2d, v1.2d
//
// TestDisassembly has binutils read the numbers in all files of the library, and compares.
// What works on general registers is Go's assembly: branches, arguments and addresses are
// what its assembler and go vet check.
//
// # Registers
//
// An [X] is a general register, a [V] one for vectors. There are as many as one wants: which
// one it is, is decided when the function is finished, by the stretch of the text between its
// first and its last use, loops as a whole. More than there are at one place are a mistake;
// nothing is put on the stack. R16 to R18 (linker, and Darwin's own) and R27 to R31
// (assembler, goroutine, frame, link, stack) are never used.
//
// Operands are in the order of the processor's manual: the result first.
package neongen
