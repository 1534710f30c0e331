//go:build unix

package capture

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// TakeStdio returns the standard input and output of this process for the caller alone: descriptor 0 becomes empty, and
// descriptor 1 becomes the standard error. So neither this process nor a program that it starts can accidentally read
// from the result stdin or write to the result stdout. Call it before Start.
func TakeStdio() (stdin, stdout *os.File, err error) {
	var files [2]*os.File
	for fd, name := range []string{"/dev/stdin", "/dev/stdout"} {
		own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return nil, nil, fmt.Errorf("capture: %s: %w", name, err)
		}
		// Only files that do not block can have deadlines. A terminal belongs to other programs too.
		var st unix.Stat_t
		if unix.Fstat(own, &st) == nil && (st.Mode&unix.S_IFMT == unix.S_IFIFO || st.Mode&unix.S_IFMT == unix.S_IFSOCK) {
			unix.SetNonblock(own, true)
		}
		files[fd] = os.NewFile(uintptr(own), name)
	}
	empty, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, fmt.Errorf("capture: %w", err)
	}
	defer empty.Close()
	for to, from := range []int{int(empty.Fd()), 2} {
		if err := dup(from, to); err != nil {
			return nil, nil, fmt.Errorf("capture: %w", err)
		}
	}
	return files[0], files[1], nil
}
