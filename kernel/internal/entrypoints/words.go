//go:build js || amd64 || arm64

package entrypoints

import (
	"reflect"
	"unsafe"

	"github.com/goplus/reflectx/abi"

	"overcomplete/kernel/internal/rt"
)

// words holds what Words returns.
var words []Word

// ofWord returns the method m as a method of a receiver that is itself a pointer in memory, or nil if the receiver
// is not a pointer in memory, or if reflectx makes this entry point. reflectx sees that a map is a pointer, and a
// struct of one pointer, but not a struct of one map: it would take the map's address for the struct's.
func ofWord(m *abi.MethodInfo) *abi.MethodInfo {
	if !m.Pointer || !m.Indirect || m.OnePtr || !rt.IsDirect(m.Type) {
		return nil
	}
	word := *m
	word.Pointer, word.Indirect, word.OnePtr = false, false, true
	return &word
}

// receiverOf returns the receiver of the method m, given the word that its entry point gets.
func receiverOf(m *abi.MethodInfo, word unsafe.Pointer) reflect.Value {
	switch {
	case !m.Pointer && m.OnePtr: // the receiver's value itself is the pointer
		return reflect.NewAt(m.Type, unsafe.Pointer(&word)).Elem()
	case !m.Pointer || m.Indirect:
		return reflect.NewAt(m.Type, word).Elem()
	}
	return reflect.NewAt(m.Type, word)
}
