//go:build !race

package ixengine

import (
	"sync/atomic"
	"unsafe"
)

// storeUnseen sets a word that code of cells or the interpreter reads without a lock: a function that replaces an
// older version, a table that replaces another. Who reads finds the old one or the new one, and both will do. What
// the word leads to is there before the word is.
//
// A race detector would find fault with it, for it wants the readers to say that they know. It is not told.
func storeUnseen(at *unsafe.Pointer, word unsafe.Pointer) { atomic.StorePointer(at, word) }
