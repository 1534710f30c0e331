//go:build !js && !amd64 && !arm64

package entrypoints

import _ "github.com/goplus/reflectx/icall/icall8192"

// Words returns nil, because package icall8192 makes all entry points on this system.
func Words() []Word { return nil }
