//go:build race

package ixengine

import "unsafe"

//go:norace
func storeUnseen(at *unsafe.Pointer, word unsafe.Pointer) { *at = word }
