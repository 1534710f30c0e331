package rt

import "unsafe"

// In memory an interface with methods has an itab where an any has a type word: a table of the methods, which
// the runtime makes once for each pair of types and keeps.

// Itab returns the itab that memory of type iface, an interface with methods, holds for a value of dynamic
// type t; it is nil if t is nil. ok is false if t lacks one of the methods.
func Itab(iface, t Type) (itab unsafe.Pointer, ok bool) {
	if t == nil {
		return nil, true
	}
	itab = getitab(iface, t, true)
	return itab, itab != nil
}

// ItabType returns the type word of an itab's dynamic type, or nil for nil.
func ItabType(itab unsafe.Pointer) Type {
	if itab == nil {
		return nil
	}
	return (*itabHead)(itab).t
}

// itabHead is the beginning of an itab (internal/abi.ITab).
type itabHead struct {
	iface, t Type
}

//go:linkname getitab runtime.getitab
//go:noescape
func getitab(iface, t Type, canFail bool) (itab unsafe.Pointer)
