package rt

import "unsafe"

// In memory, an interface with methods has an itab in place of the type word of an any. An itab is a table of
// the methods; the runtime makes it once for each pair of types and keeps it.

// Itab returns the itab of values of the interface type iface with the dynamic type t. The interface type
// must have methods. The result itab is nil if t is nil; ok is false if t lacks one of the methods.
func Itab(iface, t Type) (itab unsafe.Pointer, ok bool) {
	if t == nil {
		return nil, true
	}
	itab = getitab(iface, t, true)
	return itab, itab != nil
}

// ItabType returns the type word of an itab's dynamic type, or nil if the itab is nil.
func ItabType(itab unsafe.Pointer) Type {
	if itab == nil {
		return nil
	}
	return (*itabHead)(itab).t
}

// ItabTypeAt is the offset of the type word in an itab.
const ItabTypeAt = int32(unsafe.Offsetof(itabHead{}.t))

// itabHead is the beginning of an itab (internal/abi.ITab).
type itabHead struct {
	iface, t Type
	hash     uint32
	code     [1]uintptr // addresses of the methods
}

//go:linkname getitab runtime.getitab
//go:noescape
func getitab(iface, t Type, canFail bool) (itab unsafe.Pointer)
