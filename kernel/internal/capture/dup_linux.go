package capture

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func dup(from, to int) error { return unix.Dup3(from, to, 0) }

// tracePipe is how much the pipe of standard error is to hold, in bytes: the runtime's
// trace of a crash.
const tracePipe = 1 << 20

// withoutWaiting makes fd lead to the pipe that f writes to, in such a way that a write never
// waits: where the process dies, the runtime writes a trace to descriptor 2, and there is
// nobody any more who would read the pipe. os.Stderr itself, and with it child
// processes, wait as they should, for the pipe is opened anew.
func withoutWaiting(f *os.File, fd int) error {
	n, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(n)
	unix.FcntlInt(uintptr(n), unix.F_SETPIPE_SZ, tracePipe)
	return dup(n, fd)
}
