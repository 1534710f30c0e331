//go:build unix

package capture

import (
	"os"

	"golang.org/x/sys/unix"
)

// empty reports whether the pipe r is empty.
func empty(r *os.File) bool {
	ready := true
	withFD(r, func(fd int) {
		set := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(set, 0)
		ready = err != nil || n > 0
	})
	return !ready
}

// drain reads and discards the content of the pipe r.
func drain(r *os.File) {
	buf := make([]byte, 4096)
	for !empty(r) {
		n := 0
		withFD(r, func(fd int) { n, _ = unix.Read(fd, buf) })
		if n <= 0 {
			return
		}
	}
}

// withFD calls f with r's descriptor, without changing its blocking mode.
func withFD(r *os.File, f func(fd int)) {
	if raw, err := r.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { f(int(fd)) })
	}
}
