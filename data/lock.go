package data

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"overcomplete/internal/filelock"
)

// hasLock says that a download is locked, and that an open file can be renamed and removed.
const hasLock = filelock.Supported && runtime.GOOS != "windows"

var parts atomic.Int64

// partName is where a download of the file at path is kept: without a lock, a place of its own.
func partName(path string) string {
	if hasLock {
		return path + ".part"
	}
	return fmt.Sprintf("%s.%d-%d.part", path, os.Getpid(), parts.Add(1))
}

// tryLock locks f until it is closed or the process ends, however it ends. It returns false if another process
// has locked the file of the same name.
func tryLock(f *os.File) (bool, error) {
	if !hasLock {
		return true, nil
	}
	return filelock.Try(f, filelock.Exclusive)
}
