//go:build js || amd64 || arm64

package entrypoints

import (
	"reflect"
	"unsafe"

	"github.com/goplus/reflectx/abi"

	"overcomplete/kernel/internal/rt"
)

var methods = newRegistry()

func newRegistry() *registry {
	r := &registry{}
	r.Clear()
	return r
}

func init() {
	*abi.Default = abi.MethodProviderList{}
	abi.AddMethodProvider(methods)
}

func (r *registry) Used() int { return most - r.Available() }
func (r *registry) Cap() int  { return most }

// words holds the result of the next call to Words.
var words []Word

// ofWord returns a copy of m for a second entry point, which gets the receiver itself and not a pointer to it. It
// returns nil if m needs no such entry point, or if reflectx makes it.
//
// If values of the receiver's type are pointers in memory (see Word), m needs the second entry point. For some of these
// types (maps and structs whose only field is a pointer), reflectx makes that entry point, and ofWord returns nil. For
// others, such as a struct whose only field is a map, reflectx would mistake the map's address for the struct's.
func ofWord(m *abi.MethodInfo) *abi.MethodInfo {
	if !m.Pointer || !m.Indirect || m.OnePtr || !rt.IsDirect(m.Type) {
		return nil
	}
	word := *m
	word.Pointer, word.Indirect, word.OnePtr = false, false, true
	return &word
}

// receiverOf returns the receiver of the method m. word is the argument that the entry point of m gets: the receiver
// itself or a pointer to it.
func receiverOf(m *abi.MethodInfo, word unsafe.Pointer) reflect.Value {
	switch {
	case !m.Pointer && m.OnePtr: // the receiver's value itself is the pointer
		return reflect.NewAt(m.Type, unsafe.Pointer(&word)).Elem()
	case !m.Pointer || m.Indirect:
		return reflect.NewAt(m.Type, word).Elem()
	}
	return reflect.NewAt(m.Type, word)
}
