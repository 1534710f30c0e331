//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && !windows

package display

import (
	"errors"
	"os"
)

// hideTyping cannot hide what is typed on this system.
func hideTyping(*os.File) (show func(), err error) {
	return nil, errors.New("display: typed input cannot be hidden on this system")
}
