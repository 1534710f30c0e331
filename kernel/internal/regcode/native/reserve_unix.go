//go:build (amd64 || arm64) && (linux || darwin || freebsd || netbsd)

package native

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve takes addresses out of use if nothing is there.
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

// address is a pointer to where no object of Go is.
func address(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }
