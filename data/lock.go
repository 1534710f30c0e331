package data

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"overcomplete/internal/filelock"
)

// hasLock is set if this system can lock downloads, and can rename and remove open files.
const hasLock = filelock.Supported && runtime.GOOS != "windows"

var parts atomic.Int64

// partName returns the path of the .part file to which the file at path is downloaded. On systems where downloads
// cannot be locked (see hasLock), every download has its own .part file.
func partName(path string) string {
	if hasLock {
		return path + ".part"
	}
	return fmt.Sprintf("%s.%d-%d.part", path, os.Getpid(), parts.Add(1))
}

// tryLock locks f until f is closed or the process ends, normally or by a crash. It returns false if another
// process has locked the same file.
func tryLock(f *os.File) (bool, error) {
	if !hasLock {
		return true, nil
	}
	return filelock.Try(f, filelock.Exclusive)
}
