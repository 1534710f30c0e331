//go:build !unix && !js

package capture

import (
	"errors"
	"os"
)

// redirect replaces os.Stdout and os.Stderr. On this system, text that the runtime or C code writes directly
// to the descriptors is not captured.
func redirect(out, errs *os.File) (undo func() error, orig [2]*os.File, err error) {
	orig = [2]*os.File{os.Stdout, os.Stderr}
	os.Stdout, os.Stderr = out, errs
	return func() error {
		os.Stdout, os.Stderr = orig[0], orig[1]
		return nil
	}, orig, nil
}

// lend fails, because on this system no program can replace this one.
func lend([2]*os.File) (takeBack func() error, err error) { return nil, errors.ErrUnsupported }
