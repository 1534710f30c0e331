package rt

import (
	"reflect"
	"unsafe"
)

// A Type is a type word: the address of the runtime's type descriptor, or nil for no type.
type Type = unsafe.Pointer

// eface is the memory layout of an any.
type eface struct {
	t    Type
	data unsafe.Pointer
}

// TypeWord returns the type word of t.
func TypeWord(t reflect.Type) Type {
	// A reflect.Type of the runtime holds a pointer to the descriptor in its data word.
	return (*eface)(unsafe.Pointer(&t)).data
}

// TypeOf returns the reflect.Type for a type word.
func TypeOf(t Type) reflect.Type {
	return reflect.TypeOf(Any(t, nil))
}

// Words returns the type word and the data word of x.
func Words(x any) (t Type, data unsafe.Pointer) {
	e := *(*eface)(unsafe.Pointer(&x))
	return e.t, e.data
}

// Any returns the value of type any that has the type word t and the given data word.
func Any(t Type, data unsafe.Pointer) any {
	return *(*any)(unsafe.Pointer(&eface{t, data}))
}
