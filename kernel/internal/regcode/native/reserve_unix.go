//go:build (amd64 || arm64) && (linux || darwin || freebsd || netbsd)

package native

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve reserves the given addresses and reports whether they were free.
func reserve(at, size uintptr) bool {
	got, err := unix.MmapPtr(-1, 0, address(at), size, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return false
	}
	if uintptr(got) != at {
		unix.MunmapPtr(got, size)
		return false
	}
	return true
}

// address returns a pointer to an address at which there is no Go object.
func address(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }
