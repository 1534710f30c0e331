// Package avogen is shared by the programs that write the assembly of packages
// here with avo. It provides an instruction set for one type of number (isa.go), loops
// over vectors whose last part is masked (strip.go), and a test that committed assembly
// is what its program writes (avogentest), here or in package neongen. Only these programs, the gen of each package,
// import it.
//
// Registers are chosen by the program: V(i) is the i-th vector register. The
// methods emit into the function that avo is at, and take operands in the order of
// Go's assembler: sources first.
package avogen
