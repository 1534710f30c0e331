package entrypoints

import (
	"reflect"
	"unsafe"
)

// A Word says that a method of type Type needs another entry point in the type's own method table than in that
// of the pointer to it. Through is the entry point that gets a pointer to the receiver. Word gets the receiver
// itself, because it is a pointer in memory.
type Word struct {
	Type          reflect.Type
	Through, Word unsafe.Pointer
}
