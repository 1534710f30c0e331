package rt

import (
	"reflect"
	"unsafe"
)

// The map functions take the type of the map, not of its keys, and the map as a pointer. A pointer to an
// element is valid until the map is changed, except by a store to that element. A key passed by pointer is
// copied when it is stored.

// A MapKind says which of the map functions below are the fastest ones for a map type.
type MapKind uint8

const (
	MapAny    MapKind = iota // Get, Assign, Delete
	Map32                    // keys are 32-bit integers: Get32, Assign32
	Map64                    // keys are 64-bit integers: Get64, Assign64
	MapPtr                   // keys are pointers or channels: GetPtr, AssignPtr
	MapString                // GetString, AssignString, DeleteString
)

// mostFast is the maximum size of elements that are stored in the map itself. The fast functions require such elements.
const mostFast = 128

// MapKindOf returns the kind of the map type t. It follows the compiler's choice, except that maps with
// struct or array keys are always MapAny.
func MapKindOf(t reflect.Type) MapKind {
	if t.Elem().Size() > mostFast {
		return MapAny
	}
	switch k := t.Key(); k.Kind() {
	case reflect.String:
		return MapString
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		if k.Size() == 8 {
			return MapPtr
		}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if k.Size() == 8 {
			return Map64
		}
		return Map32
	}
	return MapAny
}

// MakeMap returns a map of type t with room for n entries.
//
//go:linkname MakeMap reflect.makemap
func MakeMap(t Type, n int) (m unsafe.Pointer)

// Len returns the number of entries of m, a map of any type.
func Len(m unsafe.Pointer) int {
	// The compiler reads the length of all map types in the same way.
	return len(*(*map[int]int)(unsafe.Pointer(&m)))
}

// Get returns a pointer to the element for a key, or nil if the map has no such key. The last argument is the key's
// address.
//
//go:linkname Get reflect.mapaccess
//go:noescape
func Get(t Type, m, key unsafe.Pointer) (elem unsafe.Pointer)

// Assign returns a pointer to the element for a key; the last argument is the key's address. If the map has no such
// key, Assign adds it with a zero element. It panics if m is nil.
//
//go:linkname Assign runtime.mapassign
//go:noescape
func Assign(t Type, m, key unsafe.Pointer) (elem unsafe.Pointer)

// Delete removes the entry of the key.
//
//go:linkname Delete runtime.mapdelete
//go:noescape
func Delete(t Type, m, key unsafe.Pointer)

// DeleteString removes the entry of the key from a map of kind MapString.
//
//go:linkname DeleteString reflect.mapdelete_faststr
//go:noescape
func DeleteString(t Type, m unsafe.Pointer, key string)

// ClearMap removes all entries.
//
//go:linkname ClearMap reflect.mapclear
//go:noescape
func ClearMap(t Type, m unsafe.Pointer)

// Get32 is Get for maps of kind Map32.
func Get32(t Type, m unsafe.Pointer, key uint32) unsafe.Pointer {
	if elem, ok := access32(t, m, key); ok {
		return elem
	}
	return nil
}

// Get64 is Get for maps of kind Map64.
func Get64(t Type, m unsafe.Pointer, key uint64) unsafe.Pointer {
	if elem, ok := access64(t, m, key); ok {
		return elem
	}
	return nil
}

// GetPtr is Get for maps of kind MapPtr.
func GetPtr(t Type, m, key unsafe.Pointer) unsafe.Pointer {
	if elem, ok := access64(t, m, uint64(uintptr(key))); ok {
		return elem
	}
	return nil
}

// GetString is Get for maps of kind MapString.
func GetString(t Type, m unsafe.Pointer, key string) unsafe.Pointer {
	if elem, ok := accessString(t, m, key); ok {
		return elem
	}
	return nil
}

// Delete64 removes the entry of the key from a map of kind Map64.
func Delete64(t Type, m unsafe.Pointer, key uint64) { Delete(t, m, unsafe.Pointer(&key)) }

// Delete32 removes the entry of the key from a map of kind Map32.
func Delete32(t Type, m unsafe.Pointer, key uint32) { Delete(t, m, unsafe.Pointer(&key)) }

// Assign32 is Assign for maps of kind Map32.
//
//go:linkname Assign32 runtime.mapassign_fast32
//go:noescape
func Assign32(t Type, m unsafe.Pointer, key uint32) (elem unsafe.Pointer)

// Assign64 is Assign for maps of kind Map64.
//
//go:linkname Assign64 runtime.mapassign_fast64
//go:noescape
func Assign64(t Type, m unsafe.Pointer, key uint64) (elem unsafe.Pointer)

// AssignPtr is Assign for maps of kind MapPtr.
//
//go:linkname AssignPtr runtime.mapassign_fast64ptr
func AssignPtr(t Type, m, key unsafe.Pointer) (elem unsafe.Pointer)

// AssignString is Assign for maps of kind MapString.
//
//go:linkname AssignString runtime.mapassign_faststr
func AssignString(t Type, m unsafe.Pointer, key string) (elem unsafe.Pointer)

//go:linkname access32 runtime.mapaccess2_fast32
//go:noescape
func access32(t Type, m unsafe.Pointer, key uint32) (elem unsafe.Pointer, ok bool)

//go:linkname access64 runtime.mapaccess2_fast64
//go:noescape
func access64(t Type, m unsafe.Pointer, key uint64) (elem unsafe.Pointer, ok bool)

//go:linkname accessString runtime.mapaccess2_faststr
//go:noescape
func accessString(t Type, m unsafe.Pointer, key string) (elem unsafe.Pointer, ok bool)
