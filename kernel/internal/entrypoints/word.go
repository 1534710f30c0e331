package entrypoints

import (
	"reflect"
	"unsafe"
)

// A Word describes a method that needs two entry points, because each value of its receiver type is a single
// pointer in memory. An example of such a type is a struct whose only field is a map. The entry point Through
// belongs in the method table of *Type, and gets a pointer to the receiver. The entry point Word belongs in the
// method table of Type, and gets the receiver itself.
type Word struct {
	Type          reflect.Type
	Through, Word unsafe.Pointer
}
