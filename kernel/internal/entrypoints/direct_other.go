//go:build !amd64 && !arm64

package entrypoints

import "unsafe"

// Code returns nil: this system has no such code.
func Code(unsafe.Pointer) unsafe.Pointer { return nil }
