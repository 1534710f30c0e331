// Package filelock keeps other processes out of a folder while one works on it. The system releases
// a lock when its process ends, even if it crashes, so a leftover lock file means nothing.
package filelock

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Lock waits for the exclusive lock on a file, which it creates. waiting, if not nil, is called
// once if another process has the lock.
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

// TryLock takes the exclusive lock on a file, which it creates. unlock is nil if another process
// has it.
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
	return func() { f.Close() }, nil // which unlocks
}

// A Mode says who else may hold the lock.
type Mode bool

const (
	Exclusive Mode = false // nobody else
	Shared    Mode = true  // other holders of the shared lock
)

// Try takes the lock on an open file, until the file is closed, and reports whether it succeeded.
// Processes that are started meanwhile do not inherit the lock. Without file locks it returns an
// error that is errors.ErrUnsupported.
func Try(f *os.File, mode Mode) (bool, error) {
	ok, err := try(f, mode)
	if err != nil {
		return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return ok, nil
}
