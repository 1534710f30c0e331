// Package linked takes a function of the runtime.
package linked

import _ "unsafe"

//go:linkname mapiterinit runtime.mapiterinit
func mapiterinit()

func F() { mapiterinit() }
