// Package linkedvar takes a variable of the runtime.
package linkedvar

import _ "unsafe"

//go:linkname overflowError runtime.overflowError
var overflowError error

func Err() error { return overflowError }
