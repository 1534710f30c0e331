//go:build !amd64 && !arm64

package rt

import "unsafe"

// On these processors package rt does not know the registers, so it uses package reflect to call each function whose
// signature has no caller.
const (
	knowsRegisters = false
	intRegisters   = 0
	floatRegisters = 0
)

func callInRegisters(*Callee, unsafe.Pointer, *Numbers, *Pointers) { panic("rt: no registers") }
