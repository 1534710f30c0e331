//go:build !js

package entrypoints

import _ "github.com/goplus/reflectx/icall/icall8192"
