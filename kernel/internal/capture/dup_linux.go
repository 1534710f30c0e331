package capture

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func dup(from, to int) error { return unix.Dup3(from, to, 0) }

// tracePipe is the capacity of the stderr pipe in bytes, enough for the runtime's trace of a crash.
const tracePipe = 1 << 20

// withoutWaiting points the descriptor fd to the pipe to which f writes, in such a way that writes to fd never block.
// This is needed when the process crashes: the runtime then writes a trace to descriptor 2, but no goroutine reads the
// pipe any more. Writes to f still block if the pipe is full.
func withoutWaiting(f *os.File, fd int) error {
	n, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(n)
	unix.FcntlInt(uintptr(n), unix.F_SETPIPE_SZ, tracePipe)
	return dup(n, fd)
}
