// Package avogen is shared by the gen programs, which write the library's assembly with avo. It provides an
// instruction set for one type of number (isa.go), loops over vectors with a masked last part (strip.go), and
// a test that committed assembly is up to date (avogentest), which also covers package neongen. Only the gen
// programs import it.
//
// Registers are chosen by the program: V(i) is the i-th vector register. The methods emit into avo's current
// function, and take operands in the order of Go's assembler: sources first.
package avogen
