package rt

import "unsafe"

// An interface with methods has an itab in memory where an any has a type word: a table of the
// methods, which the runtime makes once for each pair of types and keeps.

// Itab returns what is in memory of type iface, an interface with methods, for a value of dynamic type
// t: nil if t is nil. ok is false if t has not all of the methods.
func Itab(iface, t Type) (itab unsafe.Pointer, ok bool) {
	if t == nil {
		return nil, true
	}
	itab = getitab(iface, t, true)
	return itab, itab != nil
}

// ItabType returns the type word of the dynamic type of an itab, nil for nil.
func ItabType(itab unsafe.Pointer) Type {
	if itab == nil {
		return nil
	}
	return (*itabHead)(itab).t
}

// itabHead is the begin of an itab (internal/abi.ITab).
type itabHead struct {
	iface, t Type
}

//go:linkname getitab runtime.getitab
//go:noescape
func getitab(iface, t Type, canFail bool) (itab unsafe.Pointer)
