//go:build (amd64 || arm64) && (linux || darwin || freebsd || netbsd || windows)

package native

import (
	"errors"
	"unsafe"
)

// arena is the largest unit in which Go's heap grows. The heap begins at a multiple of arena.
const arena = 64 << 20

// margin is the distance from the beginning of a window to the heap. Because of it, a pointer to the window's
// beginning does not point into the heap, and the garbage collector ignores the pointer.
const margin = 64 << 10

// early is an object in the heap's first arena.
var early = new([64]byte)

// openWindow returns the base address of the modules' memory, a window of 4 GiB in which Go's heap begins. It reserves
// the addresses before the heap and at the end of the window, so that the heap neither begins before the window nor
// straddles its end.
func openWindow() (uintptr, error) {
	begin := uintptr(unsafe.Pointer(early)) &^ (arena - 1)
	for range 4 { // early may lie in a later arena if package initialization ran late
		base := begin - margin
		if reserve(base, margin) {
			if reserve(begin+span-arena, arena-margin) {
				return base, nil
			}
			return 0, errors.New("native: the heap is longer than a window already")
		}
		begin -= arena
	}
	return 0, errors.New("native: the heap's begin cannot be found")
}
