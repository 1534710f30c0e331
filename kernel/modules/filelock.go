package modules

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// lock waits for the exclusive lock on a file, which it makes. The system gives it back when the process
// ends, however it ends. waiting, unless nil, is called once if somebody else has it.
func lock(file string, waiting func()) (unlock func(), err error) {
	return lockContext(context.Background(), file, waiting)
}

func lockContext(ctx context.Context, file string, waiting func()) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the lock in %s: %w", filepath.Dir(file), err)
	}
	for told := false; ; {
		ok, err := tryLock(f, false)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("the lock %s: %w", file, err)
		}
		if ok {
			return func() { f.Close() }, nil // which unlocks
		}
		if !told && waiting != nil {
			waiting()
			told = true
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}
