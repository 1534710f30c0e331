package modules

import (
	"os"
	"path/filepath"
	"sync"

	"overcomplete/internal/filelock"
)

// hold marks the running program as in use, so that other kernels do not remove it from the cache. It does
// nothing if the program is not in the cache.
var hold = sync.OnceFunc(func() {
	exe, err := os.Executable()
	if err != nil || len(compiledIn.Packages) == 0 {
		return
	}
	if f, err := os.Open(filepath.Join(filepath.Dir(exe), manifestFile)); err == nil {
		filelock.Try(f, filelock.Shared)
		held = append(held, f) // the file stays open
	}
})

var held []*os.File

// inUse reports whether some process runs the program in a folder of the cache.
func inUse(dir string) bool {
	f, err := os.Open(filepath.Join(dir, manifestFile))
	if err != nil {
		return false
	}
	defer f.Close()
	free, err := filelock.Try(f, filelock.Exclusive)
	return err == nil && !free
}
