//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && !windows

package display

import (
	"errors"
	"os"
)

// hideTyping returns an error, because the echo cannot be turned off on this system.
func hideTyping(*os.File) (show func(), err error) {
	return nil, errors.New("display: this system cannot hide typed input")
}
