//go:build !unix

package capture

import "os"

// redirect replaces os.Stdout and os.Stderr; what is written past them (by the
// runtime, or by C code) is not caught on this system.
func redirect(out, errs *os.File) (undo func() error, orig [2]*os.File, err error) {
	orig = [2]*os.File{os.Stdout, os.Stderr}
	os.Stdout, os.Stderr = out, errs
	return func() error {
		os.Stdout, os.Stderr = orig[0], orig[1]
		return nil
	}, orig, nil
}
