// Package avogen is shared by the gen programs, which write the library's assembly with avo. Only gen programs import
// it. It provides an instruction set for one type of number (isa.go), and loops over vectors with a masked last part
// (strip.go). Package avogentest tests that committed assembly is up to date, including assembly by package neongen.
//
// The gen program chooses the registers: V(i) is the i-th vector register. The methods emit instructions into avo's
// current function. They take operands in the order of Go's assembler: sources first.
package avogen
