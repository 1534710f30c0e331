//go:build unix && !solaris && !aix

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Supported reports whether this system has file locks.
const Supported = true

func try(f *os.File, mode Mode) (bool, error) {
	how := unix.LOCK_EX
	if mode == Shared {
		how = unix.LOCK_SH
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOLCK), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EINVAL):
			return false, errors.ErrUnsupported // this file system does not support locks
		default:
			return err == nil, err
		}
	}
}
