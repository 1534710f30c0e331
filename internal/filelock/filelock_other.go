//go:build !windows && (!unix || solaris || aix)

package filelock

import (
	"errors"
	"os"
)

// Supported reports whether this system has file locks.
const Supported = false

func try(*os.File, Mode) (bool, error) { return false, errors.ErrUnsupported }
