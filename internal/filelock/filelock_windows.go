package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Supported reports whether this system has file locks.
const Supported = true

// try locks a byte far beyond the end of the file, so that the file remains readable.
func try(f *os.File, mode Mode) (bool, error) {
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if mode == Shared {
		how = 0
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}
