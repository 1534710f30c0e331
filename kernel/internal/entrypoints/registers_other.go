//go:build !js && !amd64 && !arm64

package entrypoints

import _ "github.com/goplus/reflectx/icall/icall8192"
