//go:build !amd64 && !arm64

package entrypoints

import (
	"reflect"
	"unsafe"
)

// An Entry is not used on these systems.
type Entry struct{}

// Of returns nil: all methods are called through reflection.
func Of(func([]reflect.Value) []reflect.Value) []*Entry { return nil }

// IsWord is not called, because Of returns nil.
func (e *Entry) IsWord() bool { return false }

// Set is not called, because Of returns nil.
func (e *Entry) Set(unsafe.Pointer) {}

// Code returns nil: this system has no such code.
func Code(unsafe.Pointer) unsafe.Pointer { return nil }
