//go:build unix

package capture

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lend points descriptors 1 and 2 to the files in orig. The returned function takeBack points them back to where they
// pointed before.
func lend(orig [2]*os.File) (takeBack func() error, err error) {
	var own [2]int // the current targets of the descriptors
	for i := range own {
		if own[i], err = unix.FcntlInt(uintptr(i+1), unix.F_DUPFD_CLOEXEC, 3); err != nil {
			if i > 0 {
				unix.Close(own[0])
			}
			return nil, fmt.Errorf("capture: %w", err)
		}
	}
	takeBack = func() error {
		var errs []error
		for i, fd := range own {
			errs = append(errs, dup(fd, i+1), unix.Close(fd))
		}
		return errors.Join(errs...)
	}
	for i, f := range orig {
		if err := dup(int(f.Fd()), i+1); err != nil {
			return nil, errors.Join(fmt.Errorf("capture: %w", err), takeBack())
		}
	}
	return takeBack, nil
}
