//go:build unix && !linux

package capture

import (
	"errors"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

func dup(from, to int) error { return unix.Dup2(from, to) }

// withoutWaiting cannot open a pipe anew here. So that the runtime's trace of a crash, which
// nobody reads any more, does not fill the pipe, it is made as short as can be.
func withoutWaiting(*os.File, int) error {
	debug.SetTraceback("none")
	return errors.ErrUnsupported
}
