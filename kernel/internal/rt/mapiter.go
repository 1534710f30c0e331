package rt

import "unsafe"

// A MapIter iterates over a map, like range. It must be on the heap while the loop runs.
//
// The functions that a MapIter calls are older than Go's current map implementation. The runtime keeps them because
// other modules have long used them. It keeps the first two fields because such modules read these fields.
type MapIter struct {
	Key  unsafe.Pointer // nil after the last entry
	Elem unsafe.Pointer
	_    Type
	_    unsafe.Pointer // the runtime's own iterator
}

// Init moves to the first entry of the map m of type t. The iterator must not have been used before.
func (it *MapIter) Init(t Type, m unsafe.Pointer) { mapiterinit(t, m, it) }

// Next moves to the next entry.
func (it *MapIter) Next() { mapiternext(it) }

// mapiterinit must not be declared noescape: the map m escapes, because the runtime's iterator, which is on the heap,
// refers to it.
//
//go:linkname mapiterinit runtime.mapiterinit
func mapiterinit(t Type, m unsafe.Pointer, it *MapIter)

//go:linkname mapiternext runtime.mapiternext
//go:noescape
func mapiternext(it *MapIter)
