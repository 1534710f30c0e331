// Package guard allocates memory between two protected pages. If assembly reads or writes outside its operands, the
// test crashes. This package is for tests on Linux.
package guard

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Memory returns at least n bytes, with guard pages directly before and after.
func Memory(tb testing.TB, n int) []byte {
	tb.Helper()
	page := unix.Getpagesize()
	length := (n + page - 1) / page * page
	raw, err := unix.Mmap(-1, 0, length+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { unix.Munmap(raw) })
	for _, p := range [][]byte{raw[:page], raw[page+length:]} {
		if err := unix.Mprotect(p, unix.PROT_NONE); err != nil {
			tb.Fatal(err)
		}
	}
	return raw[page : page+length]
}

// Slice returns at least n elements, with guard pages directly before and after. The size of an element must divide the
// size of a page.
func Slice[T any](tb testing.TB, n int) []T {
	tb.Helper()
	size := int(unsafe.Sizeof(*new(T)))
	m := Memory(tb, n*size)
	return unsafe.Slice((*T)(unsafe.Pointer(&m[0])), len(m)/size)
}
