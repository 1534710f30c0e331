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

// The data word of an interface points to a read-only copy of the value, or is the value itself (IsDirect).
// The Box functions make data words as compiled Go does; small integers need no allocation.

// IsDirect reports whether an interface with a value of type t holds the value itself as its data word, and not a
// pointer to the value. This is the case for pointers, maps, channels, functions, and for structs and arrays that
// contain exactly one of these.
func IsDirect(t reflect.Type) bool {
	if t.Size() != unsafe.Sizeof(uintptr(0)) {
		return false
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Array:
		return t.Len() == 1 && IsDirect(t.Elem())
	case reflect.Struct:
		// Only one of the fields can have a nonzero size.
		for f := range t.Fields() {
			if f.Type.Size() > 0 {
				return IsDirect(f.Type)
			}
		}
	}
	return false
}

// Box64 returns the data word of an interface that holds an 8-byte number.
func Box64(v uint64) unsafe.Pointer {
	if v < uint64(len(smalls)) {
		return unsafe.Pointer(&smalls[v])
	}
	return dataWord(any(v))
}

// smalls holds small numbers. The runtime has such a table too, but native code can read only Go's heap.
var smalls = func() *[256]uint64 {
	list := new([256]uint64)
	for i := range list {
		list[i] = uint64(i)
	}
	return list
}()

// Box32 returns the data word of an interface that holds a 4-byte number.
func Box32(v uint32) unsafe.Pointer { return dataWord(any(v)) }

// Box16 returns the data word of an interface that holds a 2-byte number.
func Box16(v uint16) unsafe.Pointer { return dataWord(any(v)) }

// Box8 returns the data word of an interface that holds a 1-byte number or a bool.
func Box8(v uint8) unsafe.Pointer { return dataWord(any(v)) }

// BoxString returns the data word of an interface that holds a string.
func BoxString(s string) unsafe.Pointer { return dataWord(any(s)) }

// Equal reports whether two interface values a and b, given by their type words and data words, are equal as in a == b.
// Like Go, it panics for values that cannot be compared.
func Equal(aType, aData, bType, bData unsafe.Pointer) bool {
	return Any(aType, aData) == Any(bType, bData)
}
