// Package filelock lets one process at a time work on a folder. The system releases a lock when the process
// that holds it ends or crashes, so a leftover lock file means nothing.
package filelock

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Lock waits for the exclusive lock on a file, which it creates if necessary. If it has to wait for another process, it
// first calls the given function once. This function may be nil.
func Lock(ctx context.Context, file string, waiting func()) (unlock func(), err error) {
	for told := false; ; {
		unlock, err := TryLock(file)
		if unlock != nil || err != nil {
			return unlock, err
		}
		if !told && waiting != nil {
			waiting()
			told = true
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// TryLock takes the exclusive lock on a file, which it creates if necessary. unlock is nil if another process
// holds the lock.
func TryLock(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the lock in %s: %w", filepath.Dir(file), err)
	}
	ok, err := Try(f, Exclusive)
	if !ok {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil // closing the file releases the lock
}

// A Mode says who else may hold the lock at the same time.
type Mode bool

const (
	Exclusive Mode = false // nobody else
	Shared    Mode = true  // other holders of the shared lock
)

// Try takes the lock on an open file and reports whether it succeeded. The lock is held until the file is
// closed. Child processes do not inherit the lock. If file locks are not supported, the error satisfies
// errors.Is(err, errors.ErrUnsupported).
func Try(f *os.File, mode Mode) (bool, error) {
	ok, err := try(f, mode)
	if err != nil {
		return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return ok, nil
}
