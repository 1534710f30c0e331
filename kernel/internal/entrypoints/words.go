//go:build js || amd64 || arm64

package entrypoints

import (
	"reflect"
	"unsafe"

	"github.com/goplus/reflectx/abi"

	"overcomplete/kernel/internal/rt"
)

// A Word says that a method of type Type needs another entry point in the type's own method table than in that
// of the pointer to it. Through is the entry point that gets a pointer to the receiver. Word gets the receiver
// itself, because it is a pointer in memory.
type Word struct {
	Type          reflect.Type
	Through, Word unsafe.Pointer
}

// words holds what Words returns.
var words []Word

// ofWord returns the method m as a method of a receiver that is itself a pointer in memory, or nil if the
// receiver is none, or if reflectx makes this entry point. reflectx sees that a map is a pointer, and a struct of
// one pointer, but not a struct of one map: it would take the map's address for the struct's.
func ofWord(m *abi.MethodInfo) *abi.MethodInfo {
	if !m.Pointer || !m.Indirect || m.OnePtr || !rt.IsDirect(m.Type) {
		return nil
	}
	word := *m
	word.Pointer, word.Indirect, word.OnePtr = false, false, true
	return &word
}
