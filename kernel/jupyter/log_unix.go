//go:build unix

package jupyter

import (
	"os"
	"syscall"
)

// Stderr returns a file for the kernel's own log. Text written to it reaches the current standard error, even if
// file descriptor 2 is later redirected into the output of cells.
func Stderr() *os.File {
	fd, err := syscall.Dup(2)
	if err != nil {
		return os.Stderr
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "/dev/stderr")
}
