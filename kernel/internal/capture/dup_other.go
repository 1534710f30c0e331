//go:build unix && !linux

package capture

import (
	"errors"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

func dup(from, to int) error { return unix.Dup2(from, to) }

// withoutWaiting returns an error, because this system cannot reopen a pipe. Instead, withoutWaiting makes the
// runtime's trace of a crash as short as possible, so that the trace does not fill the pipe, which no goroutine reads
// during a crash.
func withoutWaiting(*os.File, int) error {
	debug.SetTraceback("none")
	return errors.ErrUnsupported
}
