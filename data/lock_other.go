//go:build !unix || solaris || aix

package data

import (
	"fmt"
	"os"
	"sync/atomic"
)

// hasLock says that tryLock keeps others out.
const hasLock = false

var parts atomic.Int64

// partName is where a download of the file at path is kept: a place of its own,
// because there is no flock here.
func partName(path string) string {
	return fmt.Sprintf("%s.%d-%d.part", path, os.Getpid(), parts.Add(1))
}

// tryLock has nothing to do.
func tryLock(*os.File) (bool, error) { return true, nil }
