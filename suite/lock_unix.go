//go:build unix && !solaris && !aix

package suite

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// lock reserves a name in a folder for this run alone until release is called or the process
// ends, however it ends. release is nil if another run holds the name.
func lock(folder, name string) (release func(), err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(folder, lockName(name)), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	switch {
	case err == nil:
		return sync.OnceFunc(func() { f.Close() }), nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		f.Close()
		return nil, nil
	}
	f.Close()
	// A file system without locks must not keep anybody from running a notebook.
	return func() {}, nil
}
