//go:build (amd64 || arm64) && (linux || darwin || freebsd || netbsd || windows)

package native

import (
	"errors"
	"unsafe"
)

// arena is how Go's heap grows, and a divisor of where it begins, at most.
const arena = 64 << 20

// margin lies before the heap in a window: a pointer to the window's begin is none into the heap, and the
// collector ignores it.
const margin = 64 << 10

// early is an object of the heap's first arena.
var early = new([64]byte)

// openWindow gives the address where a memory begins that has Go's heap in it, as far as the heap is less
// than 4 GiB long. Addresses before and at the end of it are reserved, so that the heap neither begins
// before the window nor straddles its end.
func openWindow() (uintptr, error) {
	begin := uintptr(unsafe.Pointer(early)) &^ (arena - 1)
	for range 4 { // init may have been late
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
