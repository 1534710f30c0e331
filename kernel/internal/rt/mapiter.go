package rt

import "unsafe"

// A MapIter iterates over a map, as range does. It is on the heap while the loop runs.
//
// The runtime keeps these functions for modules that have used them since before its maps had their present
// form. It keeps the first two fields for modules that read them.
type MapIter struct {
	Key  unsafe.Pointer // nil at the end
	Elem unsafe.Pointer
	_    Type
	_    unsafe.Pointer // the runtime's own iterator
}

// Init moves to the first entry of m, of type t. The iterator must not have been used before.
func (it *MapIter) Init(t Type, m unsafe.Pointer) { mapiterinit(t, m, it) }

// Next moves to the next entry.
func (it *MapIter) Next() { mapiternext(it) }

// The map escapes: the runtime's iterator, which is on the heap, holds it.
//
//go:linkname mapiterinit runtime.mapiterinit
func mapiterinit(t Type, m unsafe.Pointer, it *MapIter)

//go:linkname mapiternext runtime.mapiternext
//go:noescape
func mapiternext(it *MapIter)
