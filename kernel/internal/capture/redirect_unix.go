//go:build unix

package capture

import (
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
