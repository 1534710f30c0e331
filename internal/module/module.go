// Package module has the import path of this module, so that no other code has to
// spell it: a fork changes it in go.mod and in its imports alone.
package module

import (
	"reflect"
	"strings"
)

type anchor struct{}

// Path is the import path of the module, the first line of its go.mod.
var Path = strings.TrimSuffix(reflect.TypeFor[anchor]().PkgPath(), "/internal/module")
