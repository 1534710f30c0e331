//go:build unix && !linux

package capture

import (
	"errors"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

func dup(from, to int) error { return unix.Dup2(from, to) }

// withoutWaiting cannot reopen a pipe on this system. Instead it makes the runtime's crash trace as short as
// possible: at that time no goroutine reads the pipe, and a short trace does not fill it.
func withoutWaiting(*os.File, int) error {
	debug.SetTraceback("none")
	return errors.ErrUnsupported
}
