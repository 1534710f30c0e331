//go:build unix && !solaris && !aix

package data

import (
	"errors"
	"os"
	"syscall"
)

// hasLock says that tryLock keeps others out.
const hasLock = true

// partName is where a download of the file at path is kept.
func partName(path string) string { return path + ".part" }

// tryLock locks f until it is closed or the process ends, however it ends. It
// returns false if another open file of the same name is locked.
func tryLock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
	}
}
