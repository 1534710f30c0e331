//go:build amd64 || arm64

package native

import "golang.org/x/sys/windows"

// reserve reserves the given addresses and reports whether they were free.
func reserve(at, size uintptr) bool {
	got, err := windows.VirtualAlloc(at, size, windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	return err == nil && got == at
}
