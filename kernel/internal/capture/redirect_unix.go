//go:build unix

package capture

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// redirect points file descriptor 1 and os.Stdout to the first file, and file descriptor 2 and os.Stderr to the second.
// Calling undo() reverses this. The files in orig are copies of the original descriptors.
func redirect(out, errs *os.File) (undo func() error, orig [2]*os.File, err error) {
	oldOut, oldErr := os.Stdout, os.Stderr
	for i, f := range []*os.File{out, errs} {
		fd := i + 1
		saved, err := unix.Dup(fd)
		if err != nil {
			return nil, orig, err
		}
		unix.CloseOnExec(saved)
		orig[i] = os.NewFile(uintptr(saved), f.Name())
		if fd == 2 && withoutWaiting(f, fd) == nil {
			continue
		}
		if err := dup(int(f.Fd()), fd); err != nil {
			return nil, orig, err
		}
	}
	os.Stdout, os.Stderr = out, errs
	return func() error {
		os.Stdout, os.Stderr = oldOut, oldErr
		for i := range orig {
			if err := dup(int(orig[i].Fd()), i+1); err != nil {
				return err
			}
		}
		return nil
	}, orig, nil
}

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
