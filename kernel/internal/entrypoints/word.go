package entrypoints

import (
	"reflect"
	"unsafe"
)

// A Word describes a method that needs two entry points, because values of its receiver type Type are pointers in
// memory, for example a struct of one map. Through, for the method table of *Type, gets a pointer to the receiver.
// Word, for the method table of Type, gets the receiver itself.
type Word struct {
	Type          reflect.Type
	Through, Word unsafe.Pointer
}
