//go:build !amd64 && !arm64

package rt

import "unsafe"

// Calls of functions whose signature has no caller go through package reflect.
const (
	knowsRegisters = false
	intRegisters   = 0
	floatRegisters = 0
)

func callInRegisters(*Callee, unsafe.Pointer, *Numbers, *Pointers) { panic("rt: no registers") }
