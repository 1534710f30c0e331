//go:build !js && !amd64 && !arm64

package entrypoints

import (
	"reflect"
	"unsafe"

	_ "github.com/goplus/reflectx/icall/icall8192"
)

// A Word is not used on these systems.
type Word struct {
	Type          reflect.Type
	Through, Word unsafe.Pointer
}

// Words returns nil: package icall8192 makes all entry points.
func Words() []Word { return nil }
