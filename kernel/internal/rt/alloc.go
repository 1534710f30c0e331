package rt

import "unsafe"

// New returns a new zero value of type t.
//
//go:linkname New reflect.unsafe_New
func New(t Type) unsafe.Pointer

// NewArray returns a pointer to the elements of a new slice with elements of type t and the given capacity. It panics
// like make if the length or the capacity is invalid.
//
//go:linkname NewArray runtime.makeslice
func NewArray(t Type, length, capacity int) (data unsafe.Pointer)

// Move copies the value of type t at src to dst.
//
//go:linkname Move reflect.typedmemmove
//go:noescape
func Move(t Type, dst, src unsafe.Pointer)

// Clear sets the value of type t at p to zero.
//
//go:linkname Clear reflect.typedmemclr
//go:noescape
func Clear(t Type, p unsafe.Pointer)

// ClearArray sets n consecutive values of type t to zero. The first of them is at p.
//
//go:linkname ClearArray reflect.typedarrayclear
//go:noescape
func ClearArray(t Type, p unsafe.Pointer, n int)
