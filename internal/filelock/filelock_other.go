//go:build !windows && (!unix || solaris || aix)

package filelock

import (
	"errors"
	"os"
)

// Supported reports whether there are locks on files here.
const Supported = false

func try(*os.File, Mode) (bool, error) { return false, errors.ErrUnsupported }
