//go:build !amd64 && !arm64

package rt

import "unsafe"

// Package rt does not know the registers of these processors, so it uses package reflect to call each function whose
// signature has no caller.
const (
	knowsRegisters = false
	intRegisters   = 0
	floatRegisters = 0
)

func callInRegisters(*Callee, unsafe.Pointer, *Numbers, *Pointers) { panic("rt: no registers") }
