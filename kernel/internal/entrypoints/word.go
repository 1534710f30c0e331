package entrypoints

import (
	"reflect"
	"unsafe"
)

// A Word says that a method of type Type needs different entry points in the method table of Type and in the
// method table of *Type. Through is the entry point that gets a pointer to the receiver. Word gets the receiver
// itself, because the receiver is a pointer in memory.
type Word struct {
	Type          reflect.Type
	Through, Word unsafe.Pointer
}
