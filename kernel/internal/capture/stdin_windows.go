package capture

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// held returns the number of unread bytes in the pipe r.
func held(r *os.File) (n uint32, ok bool) {
	raw, err := r.SyscallConn()
	if err != nil {
		return 0, false
	}
	raw.Control(func(fd uintptr) {
		done, _, _ := peekNamedPipe.Call(fd, 0, 0, 0, uintptr(unsafe.Pointer(&n)), 0)
		ok = done != 0
	})
	return n, ok
}

// empty reports whether the pipe r is empty.
func empty(r *os.File) bool {
	n, ok := held(r)
	return ok && n == 0
}

// drain reads and discards the content of the pipe r.
func drain(r *os.File) {
	if n, ok := held(r); ok && n > 0 {
		r.Read(make([]byte, n))
	}
}
