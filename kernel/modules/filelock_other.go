//go:build !unix && !windows

package modules

import (
	"errors"
	"os"
)

// tryLock fails: there are no locks on files here, and no other processes to share them with.
func tryLock(f *os.File, shared bool) (bool, error) {
	return false, errors.New("no locks on files here")
}
